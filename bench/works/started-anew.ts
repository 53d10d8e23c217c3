import type { Bench } from '../bench.ts'
import type { RequestHeaders } from '../databases/people.ts'
import { type Figure, middle } from '../measure/figures.ts'
import { inShortTurns, type Measure } from '../measure/rounds.ts'
import type { Server } from '../measure/server.ts'
import { read } from './measures.ts'

interface Contender {
  start(): Promise<Server>
  callers: RequestHeaders[]
}

/**
 * Measures the same GET at contenders that are started anew in each round. The speed of one program differs from one
 * start to the next for as long as it runs, often by more than the difference to be measured: by up to five percent for
 * a page, and by up to twenty for reads of many accounts, which wait for memory. So a round gives one figure: the
 * medians of its turns.
 */
export async function startedAnew<Name extends string>(
  bench: Bench,
  path: string,
  contenders: Record<Name, Contender>,
): Promise<Record<Name, Figure[]>> {
  const names = Object.keys(contenders) as Name[]
  const all = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Figure[]>
  for (let round = 0; round < bench.rounds; round++) {
    await using servers = new AsyncDisposableStack()
    const measures = {} as Record<Name, Measure>
    for (const name of round % 2 ? names.toReversed() : names) {
      const { start, callers } = contenders[name]
      measures[name] = read(servers.use(await start()), path, callers)
    }
    const figures = await inShortTurns({ ...bench, rounds: 1 }, measures)
    for (const name of names) all[name].push(middle(figures[name]))
  }
  return all
}
