import type { Bench } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase } from '../databases/database.ts'
import type { Headers } from '../databases/people.ts'
import { inTurns, type Measure } from '../measure/rounds.ts'
import { shareOf } from '../measure/rows.ts'
import { type Server, startServer } from '../measure/server.ts'
import { read } from './measures.ts'

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
    const measure = (start: () => Promise<Server>) => startedAnew(bench, start, path, headers)
    const figures = await inTurns(
      { ...bench, warmUp: 0 },
      {
        Portico: measure(() => startPortico(database)),
        'bare node:http': measure(() => startFixed(BYTES, type)),
        'with the same headers': measure(() => startFixed(BYTES, ownHeaders(responseHeaders))),
      },
    )
    const ours = figures.Portico
    const bytes = `${Number(BYTES).toLocaleString('en')} fixed bytes`
    yield shareOf({ work, ours, theirs: figures['bare node:http'], against: `bare node:http, ${bytes}` }, 0.85)
    const against = `bare node:http, ${bytes} and the same headers`
    yield shareOf({ work, ours, theirs: figures['with the same headers'], against })
  }
}

/**
 * A process of its own for each round. The speed of one program differs by up to five percent from one start to the
 * next, for as long as it runs: more than the difference to be measured.
 */
export function startedAnew({ warmUp }: Bench, start: () => Promise<Server>, path: string, headers: Headers): Measure {
  return async (seconds) => {
    await using server = await start()
    const measure = read(server, path, [headers])
    if (warmUp > 0) await measure(warmUp)
    return await measure(seconds)
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
