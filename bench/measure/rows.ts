import { count, type Figure, middle, milliseconds, ratio, words } from './figures.ts'

type Verdict = 'pass' | 'FAIL' | 'pass *' | 'FAIL *' | 'INVALID' | '–'

/** One line of the table. */
export interface Row {
  work: string
  portico: string
  against: string
  result: string
  bar: string
  verdict: Verdict
  /** The differences between the peer's work and Portico's. */
  differs?: string
}

interface Contest {
  work: string
  ours: Figure[]
  theirs: Figure[]
  against: string
}

/** At least this share of the other's rate. */
export function shareOf({ work, ours, theirs, against }: Contest, least?: number): Row {
  const share = ratio(ours, theirs)
  return {
    ...faced(work, ours, theirs, against),
    result: `${(share * 100).toFixed(0)} %`,
    bar: least === undefined ? '' : `≥ ${least * 100} %`,
    verdict: least === undefined ? '–' : withCaveat(verdict(share >= least), ours, theirs),
  }
}

/** At most this much more processor time for a response, where the system reports it. */
export function costOf({ work, ours, theirs, against }: Contest, most: number): Row {
  const cost = ratio(ours, theirs, 'cpu') - 1
  return {
    ...faced(work, ours, theirs, against),
    result: `${(cost * 100).toFixed(1)} % more CPU`,
    bar: `≤ ${most * 100} %`,
    verdict: Number.isNaN(cost) ? '–' : verdict(cost <= most),
  }
}

/** At least this many times the other's rate. */
export function timesOf({ work, ours, theirs, against }: Contest, least?: number): Row {
  const times = ratio(ours, theirs)
  return {
    ...faced(work, ours, theirs, against),
    result: `${times.toFixed(times < 10 ? 2 : 1)} ×`,
    bar: least === undefined ? '' : `≥ ${least} ×`,
    verdict: least === undefined ? '–' : withCaveat(verdict(times >= least), ours, theirs),
  }
}

function faced(work: string, ours: Figure[], theirs: Figure[], against: string) {
  return { work, portico: words(middle(ours)), against: `${against}: ${words(middle(theirs))}` }
}

/**
 * A server that is not busy all the time is not the bottleneck: then the generator, the database or another program is,
 * and the ratio describes that instead.
 */
function withCaveat(verdict: 'pass' | 'FAIL', ...contenders: Figure[][]): Verdict {
  const cores = contenders.map(middle).map(({ rate, cpu }) => (cpu === undefined ? 1 : (rate * cpu) / 1e6))
  return cores.every((used) => used >= 0.9) ? verdict : `${verdict} *`
}

/** No more than this, in a unit. */
export function atMost(work: string, value: number, most: number, unit: 'ms' | 'MiB', against = ''): Row {
  return {
    work,
    portico: inUnit(value, unit),
    against,
    result: '',
    bar: `≤ ${most} ${unit}`,
    verdict: verdict(value <= most),
  }
}

function inUnit(value: number, unit: 'ms' | 'MiB'): string {
  return unit === 'ms' ? milliseconds(value) : `${count(value)} MiB`
}

export function verdict(holds: boolean): 'pass' | 'FAIL' {
  return holds ? 'pass' : 'FAIL'
}
