import type { Registry } from 'prom-client'
import { DurationHistogram } from './histogram.ts'

const BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const INTERVAL_MS = 20

/**
 * Measures how late a timer fires: for so long the event loop was busy with other work. A histogram can be added up
 * over workers and over time. The percentiles of `monitorEventLoopDelay` cannot, and each reader would have to reset
 * them.
 */
export function observeEventLoop(registry: Registry): { stop(): void } {
  const series = new DurationHistogram(registry, {
    name: 'portico_event_loop_delay_seconds',
    help: `How late a timer of ${INTERVAL_MS} ms fires`,
    bounds: BOUNDS_SECONDS,
  }).add()
  let dueAt = performance.now() + INTERVAL_MS
  const timer = setInterval(() => {
    const now = performance.now()
    series.observe(Math.max(0, now - dueAt))
    dueAt = now + INTERVAL_MS
  }, INTERVAL_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
