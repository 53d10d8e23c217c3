import { Counter, type Registry } from 'prom-client'
import type { Observer } from '../lib/observer.ts'
import { DurationHistogram, type Series } from './histogram.ts'

const DURATION_BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']

interface RequestSeries {
  duration: Series
  byStatus: Map<number, { count: number }>
}

/**
 * Counts requests by method, route and status. The labels come from the route table and from fixed lists, never from
 * the path or the headers of a client, so the number of series is bounded.
 */
export function createRequestMetrics(registry: Registry): Observer['request'] {
  const byRoute = new Map<string, Map<string, RequestSeries>>()
  const durations = new DurationHistogram(registry, {
    name: 'portico_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its response',
    bounds: DURATION_BOUNDS_SECONDS,
  })
  new Counter({
    name: 'portico_http_requests_total',
    help: 'Responses by method, route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [route, byMethod] of byRoute) {
        for (const [method, { byStatus }] of byMethod) {
          for (const [status, { count }] of byStatus) this.inc({ method, route, status }, count)
        }
      }
    },
  })

  return (method, path, status, milliseconds) => {
    const route = routeName(path, status)
    const { duration, byStatus } = byRoute.get(route)?.get(method) ?? seriesOf(route, labelOf(method))
    duration.observe(milliseconds)
    const responses = byStatus.get(status)
    if (responses) responses.count += 1
    else byStatus.set(status, { count: 1 })
  }

  function seriesOf(route: string, method: string): RequestSeries {
    let byMethod = byRoute.get(route)
    if (!byMethod) {
      byMethod = new Map()
      byRoute.set(route, byMethod)
    }
    let series = byMethod.get(method)
    if (!series) {
      series = { duration: durations.add({ method, route }), byStatus: new Map() }
      byMethod.set(method, series)
    }
    return series
  }
}

/** Any other method, which a client may invent, has the label `other`. */
function labelOf(method: string): string {
  return METHODS.includes(method) ? method : 'other'
}

/** The route `*` serves the pages and files of the site. The paths that it does not find are unknown too. */
function routeName(path: string | undefined, status: number): string {
  if (path === undefined) return 'unknown'
  if (path !== '*') return path
  return status === 404 ? 'unknown' : 'page'
}
