/** What one measurement gave. */
export interface Figure {
  /** Answers in a second. */
  rate: number
  /** Milliseconds within which 99 of 100 answers came. */
  p99: number
  /** Microseconds of processor time that the server used for an answer, where the system tells. */
  cpu?: number
}

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** The figures of all rounds as one. */
export function middle(figures: Figure[]): Figure {
  const cpus = figures.flatMap(({ cpu }) => cpu ?? [])
  return {
    rate: median(figures.map(({ rate }) => rate)),
    p99: median(figures.map(({ p99 }) => p99)),
    ...(cpus.length > 0 && { cpu: median(cpus) }),
  }
}

/** How two contenders compare, round by round: what slowed the machine down in one round slowed both. */
export function ratio(ours: Figure[], theirs: Figure[], by: 'rate' | 'p99' = 'rate'): number {
  return median(ours.map((figure, round) => figure[by] / (theirs[round]?.[by] ?? Number.NaN)))
}

export function words({ rate, p99, cpu }: Figure): string {
  const spent = cpu === undefined ? [] : [`${count(cpu)} µs CPU`]
  return [`${count(rate)}/s`, `p99 ${milliseconds(p99)}`, ...spent].join(' · ')
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : count(value)} ms`
}

export function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })
}
