import type { MetricValueWithName, Registry } from 'prom-client'

interface HistogramOptions {
  name: string
  help: string
  /** The upper bounds of the buckets in seconds, in ascending order. */
  bounds: readonly number[]
}

type Labels = Record<string, string>

/** The observations with one set of labels. */
export interface Series {
  observe(milliseconds: number): void
}

/**
 * A histogram of durations whose series are looked up once, by the observing part. `Histogram` and `Counter` of
 * prom-client compute a key from the labels each time: both together took 1.0 µs for a request, and the ones here take
 * 0.03 µs.
 */
export class DurationHistogram {
  readonly name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #series: PlainSeries[] = []

  constructor(registry: Registry, { name, help, bounds }: HistogramOptions) {
    this.name = name
    this.#help = help
    this.#bounds = bounds
    // A registry uses the name of a metric, and `get`.
    registry.registerMetric(this as unknown as Parameters<Registry['registerMetric']>[0])
  }

  /** Adds a series. The caller keeps it: a second one with the same labels would be reported apart. */
  add(labels: Labels = {}): Series {
    const series = new PlainSeries(labels, this.#bounds)
    this.#series.push(series)
    return series
  }

  async get() {
    return {
      name: this.name,
      help: this.#help,
      type: 'histogram',
      aggregator: 'sum',
      values: this.#series.flatMap((series) => series.valuesOf(this.name)),
    }
  }
}

class PlainSeries implements Series {
  readonly #labels: Labels
  readonly #bounds: readonly number[]
  /** The observations of each bucket alone, and of those above the last bound. */
  readonly #counts: Float64Array
  #sumMs = 0

  constructor(labels: Labels, bounds: readonly number[]) {
    this.#labels = labels
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(milliseconds: number): void {
    const bounds = this.#bounds
    const seconds = milliseconds / 1000
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sumMs += milliseconds
  }

  /** Each bucket includes the buckets before it, as the format requires. */
  valuesOf(name: string): MetricValueWithName<string>[] {
    const labels = this.#labels
    let count = 0
    const buckets = Array.from(this.#counts, (observations, bucket) => {
      count += observations
      const le = String(this.#bounds[bucket] ?? '+Inf')
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sumMs / 1000 },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
}
