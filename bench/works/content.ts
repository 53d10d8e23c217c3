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
    const type = { 'content-type': answer.get('content-type') }
    await using fixed = await startFixed(BYTES, type)
    await using protecting = await startFixed(BYTES, ownHeaders(answer))
    const figures = await inTurns(bench, {
      Portico: read(portico, path, [headers]),
      'bare node:http': read(fixed, path, [headers]),
      'with the same headers': read(protecting, path, [headers]),
    })
    const ours = figures.Portico
    const bytes = `${Number(BYTES).toLocaleString('en')} fixed bytes`
    yield shareOf({ work, ours, theirs: figures['bare node:http'], against: `bare node:http, ${bytes}` }, 0.85)
    const against = `bare node:http, ${bytes} and the same headers`
    yield shareOf({ work, ours, theirs: figures['with the same headers'], against })
  }
}

function startFixed(BYTES: string, headers: object) {
  return startServer('bench/contenders/fixed.ts', { BYTES, HEADERS: JSON.stringify(headers) })
}

/** Without those that Node adds by itself. */
function ownHeaders(answer: Headers): object {
  const ofNode = ['date', 'connection', 'keep-alive']
  return Object.fromEntries([...answer].filter(([name]) => !ofNode.includes(name)))
}

async function newestPost(url: string): Promise<string> {
  const { items } = (await (await fetch(`${url}/feed.json`)).json()) as { items: { url: string }[] }
  return new URL(items[0]?.url ?? '').pathname
}
