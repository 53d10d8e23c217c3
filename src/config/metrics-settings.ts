import type { SettingsReader } from './settings-reader.ts'

export interface MetricsSettings {
  /** The listener of its own for /metrics; undefined without one. */
  at: { host: string; port: number } | undefined
  /** The token that opens /metrics on the main port; undefined when it is not served there. */
  token: string | undefined
}

/** Undefined when metrics are off. */
export function readMetrics(read: SettingsReader, mainPort: number): MetricsSettings | undefined {
  const host = read.text('METRICS_HOST', '127.0.0.1')
  const port = read.isSet('METRICS_PORT') ? read.port('METRICS_PORT', 0) : undefined
  const token = read.token('METRICS_TOKEN')
  // Port 0 is any free port.
  if (port !== undefined && port !== 0 && port === mainPort) {
    read.fault('METRICS_PORT', 'must differ from PORT; METRICS_TOKEN serves /metrics at PORT')
  }
  if (port === undefined && token === undefined) return undefined
  return { at: port === undefined ? undefined : { host, port }, token }
}
