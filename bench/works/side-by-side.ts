import type { Bench } from '../bench.ts'
import type { RequestHeaders } from '../databases/people.ts'
import { count, type Figure, middle } from '../measure/figures.ts'
import type { Measure } from '../measure/rounds.ts'
import type { Place, Server } from '../measure/server.ts'
import { read } from './measures.ts'

// Each server has half a core, and V8 compiles its code during the warm-up.
const WARM_UP_FACTOR = 4
// The differences are smaller than those between two processes of one program: six times as many processes as for the
// other works.
const ROUNDS_FACTOR = 6

interface Contender {
  start(place: Place): Promise<Server>
  callers: RequestHeaders[]
}

/**
 * Measures the same GET at contenders that get their load at the same time, where possible on one core.
 * The speed of a virtual machine may change by half within a second. Contenders that run side by side have the same
 * speed at every moment, so the CPU time for a response can be compared: two processes of the same program differ by
 * less than 3 % in four of five turns. Their rates say nothing about one server alone. As in `startedAnew`, each round has
 * new processes.
 */
export async function sideBySide<Name extends string>(
  bench: Bench,
  path: string,
  contenders: Record<Name, Contender>,
): Promise<Record<Name, Figure[]>> {
  const names = Object.keys(contenders) as Name[]
  const all = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Figure[]>
  const rounds = bench.rounds * ROUNDS_FACTOR
  for (let round = 0; round < rounds; round++) {
    bench.progress.now(`round ${round + 1} of ${rounds}: ${names.join(' beside ')}`)
    await using servers = new AsyncDisposableStack()
    const measures = {} as Record<Name, Measure>
    for (const name of round % 2 ? names.toReversed() : names) {
      const { start, callers } = contenders[name]
      measures[name] = read(servers.use(await start({ onServerCore: true })), path, callers)
    }
    if (bench.warmUp > 0) await Promise.all(names.map((name) => measures[name](bench.warmUp * WARM_UP_FACTOR)))
    await Promise.all(names.map(async (name) => all[name].push(await measures[name](bench.seconds))))
  }
  bench.progress.found(names.map((name) => `${name} ${count(middle(all[name]).cpu ?? Number.NaN)} µs`).join(', '))
  return all
}
