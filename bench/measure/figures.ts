/** The result of one measurement. */
export interface Figure {
  /** Responses in a second. */
  rate: number
  /** The 99th percentile of the latency in milliseconds. */
  p99: number
  /** Microseconds of processor time of the server for a response, where the system reports it. */
  cpu?: number
}

export function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** The figures of all rounds combined. */
export function middle(figures: Figure[]): Figure {
  const cpus = figures.flatMap(({ cpu }) => cpu ?? [])
  return {
    rate: median(figures.map(({ rate }) => rate)),
    p99: median(figures.map(({ p99 }) => p99)),
    ...(cpus.length > 0 && { cpu: median(cpus) }),
  }
}

/** The ratio of two contenders, round by round: a slow round of the machine slows both. */
export function ratio(ours: Figure[], theirs: Figure[], by: 'rate' | 'p99' | 'cpu' = 'rate'): number {
  return median(ours.map((figure, round) => (figure[by] ?? Number.NaN) / (theirs[round]?.[by] ?? Number.NaN)))
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
