import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client'

/** The measurements of one process. They are sent between processes as JSON. */
export type Snapshot = MetricObjectWithValues<MetricValue<string>>[]

/** The measurements of several processes in the text format of Prometheus. */
export function textOf(snapshots: Snapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate(snapshots).metrics()
}

/**
 * Adds what a process has counted to the counts of processes that have ended. A counter that shrinks means a restart to
 * Prometheus, and the counts of the other processes would be added once more.
 */
export async function addCounts(counts: Snapshot, ended: Snapshot): Promise<Snapshot> {
  const sums = (await AggregatorRegistry.aggregate([counts, ended]).getMetricsAsJSON()) as Snapshot
  return sums.filter(({ type }) => COUNTING_TYPES.includes(String(type)))
}

const COUNTING_TYPES = ['counter', 'histogram']
