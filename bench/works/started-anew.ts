import type { Bench } from '../bench.ts'
import type { RequestHeaders } from '../databases/people.ts'
import type { Figure } from '../measure/figures.ts'
import { inShortTurns, type Measure } from '../measure/rounds.ts'
import type { Server } from '../measure/server.ts'
import { read } from './measures.ts'

/**
 * Measures the same GET of all callers at contenders that are started anew in each round. The speed of one program
 * differs by up to five percent from one start to the next, for as long as it runs: more than the difference to be
 * measured.
 */
export async function startedAnew<Name extends string>(
  bench: Bench,
  path: string,
  callers: RequestHeaders[],
  starts: Record<Name, () => Promise<Server>>,
): Promise<Record<Name, Figure[]>> {
  const names = Object.keys(starts) as Name[]
  const all = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Figure[]>
  for (let round = 0; round < bench.rounds; round++) {
    await using servers = new AsyncDisposableStack()
    const contenders = {} as Record<Name, Measure>
    for (const name of names) contenders[name] = read(servers.use(await starts[name]()), path, callers)
    const figures = await inShortTurns({ ...bench, rounds: 1 }, contenders)
    for (const name of names) all[name].push(...figures[name])
  }
  return all
}
