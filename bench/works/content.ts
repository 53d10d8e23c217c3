import type { Bench } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase } from '../databases/database.ts'
import { inTurns } from '../measure/rounds.ts'
import { shareOf } from '../measure/rows.ts'
import { startServer } from '../measure/server.ts'
import { read } from './measures.ts'

/** What the public reads, against a server that has nothing but those bytes. */
export async function* content(bench: Bench) {
  bench.progress.step('what the public reads')
  await using portico = await startPortico(await createDatabase(bench, 'SQLite', 1000))
  const post = await newestPost(portico.url)
  for (const [path, accept] of [
    ['/feed.xml', '*/*'],
    [post, 'text/html'],
    [post, 'text/markdown'],
  ] as const) {
    const work = `GET ${path === post ? '/blog/<post>' : path}${accept === 'text/markdown' ? ' as markdown' : ''}`
    bench.progress.step(work)
    // As browsers ask for it.
    const headers = { accept, 'accept-encoding': 'br' }
    const answer = (await fetch(portico.url + path, { headers })).headers
    const BYTES = answer.get('content-length') ?? ''
    await using fixed = await startServer('bench/contenders/fixed.ts', {
      BYTES,
      TYPE: answer.get('content-type') ?? '',
    })
    const figures = await inTurns(bench, {
      Portico: read(portico, path, [headers]),
      'bare node:http': read(fixed, path, [headers]),
    })
    const against = `bare node:http, ${Number(BYTES).toLocaleString('en')} fixed bytes`
    yield shareOf({ work, ours: figures.Portico, theirs: figures['bare node:http'], against }, 0.85)
  }
}

async function newestPost(url: string): Promise<string> {
  const { items } = (await (await fetch(`${url}/feed.json`)).json()) as { items: { url: string }[] }
  return new URL(items[0]?.url ?? '').pathname
}
