import { createLog } from '../../src/logging/log.ts'

interface Options {
  mode?: 'development' | 'production'
  logLevel?: 'debug' | 'info'
  worker?: number | undefined
}

/** A log that hands over each line at once. */
export function logTo(take: (line: string) => void, { mode = 'production', logLevel = 'info', worker }: Options = {}) {
  const output = { write: take, flush: (done: () => void) => done(), onDropped: () => {} }
  return createLog({ mode, logLevel }, worker, output)
}
