import type { Bench } from '../bench.ts'
import { count, type Figure, middle } from './figures.ts'

/** Puts load on one contender for this long. */
export type Measure = (seconds: number) => Promise<Figure>

/** As `inTurns`, with more and shorter turns. For contenders that need nothing before a turn, such as log-ins. */
export function inShortTurns<Name extends string>(bench: Bench, contenders: Record<Name, Measure>) {
  return inTurns(shortened(bench), contenders)
}

/** The same time in turns of a second. The speed of a virtual machine may change within seconds. */
function shortened(bench: Bench): Bench {
  return { ...bench, rounds: bench.rounds * bench.seconds, seconds: 1 }
}

/**
 * Measures contenders in turns, so that changes of the machine's speed affect all of them. Each is warmed up first.
 * Every other round runs in reverse order, so that no contender always follows the same one.
 */
export async function inTurns<Name extends string>(
  bench: Bench,
  contenders: Record<Name, Measure>,
): Promise<Record<Name, Figure[]>> {
  const names = Object.keys(contenders) as Name[]
  const figures = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Figure[]>
  for (const name of bench.warmUp > 0 ? names : []) {
    bench.progress.now(`warming up ${name}`)
    await contenders[name](bench.warmUp)
  }
  for (let round = 0; round < bench.rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) {
      bench.progress.now(`round ${round + 1} of ${bench.rounds}: ${name}`)
      figures[name].push(await contenders[name](bench.seconds))
    }
  }
  bench.progress.found(names.map((name) => `${name} ${count(middle(figures[name]).rate)}/s`).join(', '))
  return figures
}
