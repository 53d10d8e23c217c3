import type { Metrics } from '../metrics/metrics.ts'
import type { Scrape } from '../metrics/serve-metrics.ts'
import { type PrimaryMessage, sendToPrimary } from './worker-listener.ts'

/**
 * Sends the measurements of this worker to the primary process whenever it asks. Returns the function that gets those
 * of all workers from there.
 */
export function shareMetrics({ snapshot }: Pick<Metrics, 'snapshot'>): Scrape {
  let waiting: PromiseWithResolvers<string> | undefined
  process.on('message', (message: PrimaryMessage) => {
    if (message === 'take a snapshot') {
      snapshot().then(
        (taken) => sendToPrimary({ snapshot: taken }),
        () => sendToPrimary({ snapshot: undefined }),
      )
    } else if (typeof message === 'object' && 'scraped' in message) {
      if (message.scraped === undefined) waiting?.reject(new Error('a worker did not send its metrics'))
      else waiting?.resolve(message.scraped)
      waiting = undefined
    }
  })
  return () => {
    if (!waiting) {
      waiting = Promise.withResolvers()
      sendToPrimary('scrape')
    }
    return waiting.promise
  }
}
