import type { Bench } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase } from '../databases/database.ts'
import { shareOf } from '../measure/rows.ts'
import { startServer } from '../measure/server.ts'
import { startedAnew } from './started-anew.ts'

/** Public pages and files, against a server that only sends the same bytes. */
export async function* content(bench: Bench) {
  bench.progress.step('what the public reads')
  const database = await createDatabase(bench, 'SQLite', 1000)
  await using portico = await startPortico(database)
  const post = await newestPost(portico.url)
  for (const [path, accept] of [
    ['/feed.xml', '*/*'],
    [post, 'text/html'],
    [post, 'text/markdown'],
  ] as const) {
    const work = `GET ${path === post ? '/blog/<post>' : path}${accept === 'text/markdown' ? ' as markdown' : ''}`
    bench.progress.step(work)
    // The header of browsers.
    const headers = { accept, 'accept-encoding': 'br' }
    const responseHeaders = (await fetch(portico.url + path, { headers })).headers
    const BYTES = responseHeaders.get('content-length') ?? ''
    const type = { 'content-type': responseHeaders.get('content-type') }
    const callers = [headers]
    const figures = await startedAnew(bench, path, {
      Portico: { start: () => startPortico(database), callers },
      'bare node:http': { start: () => startFixed(BYTES, type), callers },
      'with the same headers': { start: () => startFixed(BYTES, ownHeaders(responseHeaders)), callers },
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
function ownHeaders(headers: Response['headers']): object {
  const ofNode = ['date', 'connection', 'keep-alive']
  return Object.fromEntries([...headers].filter(([name]) => !ofNode.includes(name)))
}

export async function newestPost(url: string): Promise<string> {
  const { items } = (await (await fetch(`${url}/feed.json`)).json()) as { items: { url: string }[] }
  return new URL(items[0]?.url ?? '').pathname
}
