import { count, type Figure, middle, milliseconds, type Ratio, ratio, words } from './figures.ts'

type Judged = `${'pass' | 'FAIL'}${'' | ' ~'}`
type Verdict = Judged | `${Judged} *` | 'INVALID' | '–'

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
    result: `${resultOf(share, (value) => (value * 100).toFixed(0))} %`,
    bar: least === undefined ? '' : `≥ ${least * 100} %`,
    verdict: least === undefined ? '–' : withCaveat(judge(share, isAtLeast(least)), ours, theirs),
  }
}

/** At most this much more processor time for a response, where the system reports it. */
export function costOf({ work, ours, theirs, against }: Contest, most: number): Row {
  const times = ratio(ours, theirs, 'cpu')
  return {
    ...faced(work, ours, theirs, against),
    result: `${resultOf(times, (value) => ((value - 1) * 100).toFixed(1))} % more CPU`,
    bar: `≤ ${most * 100} %`,
    verdict: Number.isNaN(times.median) ? '–' : judge(times, (value) => value - 1 <= most),
  }
}

/** At least this many times the other's rate. */
export function timesOf({ work, ours, theirs, against }: Contest, least?: number): Row {
  const times = ratio(ours, theirs)
  return {
    ...faced(work, ours, theirs, against),
    result: `${resultOf(times, (value) => value.toFixed(value < 10 ? 2 : 1))} ×`,
    bar: least === undefined ? '' : `≥ ${least} ×`,
    verdict: least === undefined ? '–' : withCaveat(judge(times, isAtLeast(least)), ours, theirs),
  }
}

function faced(work: string, ours: Figure[], theirs: Figure[], against: string) {
  return { work, portico: words(middle(ours)), against: `${against}: ${words(middle(theirs))}` }
}

/** The median, with the range in parentheses. */
export function resultOf({ median, low, high }: Ratio, format: (value: number) => string): string {
  return `${format(median)} (${format(low)} to ${format(high)})`
}

const isAtLeast = (least: number) => (value: number) => value >= least

/** Says whether the median meets the bar, and marks a range that contains the bar: then another run may differ. */
export function judge({ median, low, high }: Ratio, holds: (value: number) => boolean): Judged {
  return `${verdict(holds(median))}${holds(low) === holds(high) ? '' : ' ~'}`
}

/**
 * A server that is not busy all the time is not the bottleneck: then the generator, the database or another program is,
 * and the ratio describes that instead.
 */
function withCaveat(verdict: Judged, ...contenders: Figure[][]): Verdict {
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
