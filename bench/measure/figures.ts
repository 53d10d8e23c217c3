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

/** The median of the ratios of all rounds, and the range that contains it with a confidence of about 95 %. */
export interface Ratio {
  median: number
  low: number
  high: number
}

/** The ratio of two contenders, round by round: a slow round of the machine slows both. */
export function ratio(ours: Figure[], theirs: Figure[], by: 'rate' | 'p99' | 'cpu' = 'rate'): Ratio {
  const ratios = ours.map((figure, round) => (figure[by] ?? Number.NaN) / (theirs[round]?.[by] ?? Number.NaN))
  const sorted = ratios.toSorted((a, b) => a - b)
  const outside = valuesBelowRange(sorted.length)
  return { median: median(ratios), low: sorted[outside] ?? Number.NaN, high: sorted.at(-1 - outside) ?? Number.NaN }
}

const MAX_TAIL = 0.025

/**
 * The number of sorted values below the confidence interval of their median, and of those above it. Each value is below
 * the true median with a probability of 1/2, so this number has a binomial distribution, whatever that of the values is.
 * The range of fewer than six values has less confidence: that of five has 94 %.
 */
function valuesBelowRange(count: number): number {
  let below = 0
  let probability = 0.5 ** count
  let tail = probability
  while (below < count) {
    probability *= (count - below) / (below + 1)
    tail += probability
    if (tail > MAX_TAIL) return below
    below += 1
  }
  return 0
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
