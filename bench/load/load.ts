import { fileURLToPath } from 'node:url'
import type { Figure } from '../measure/figures.ts'
import { output } from '../measure/output.ts'
import { processorSeconds } from '../measure/proc.ts'
import type { Server } from '../measure/server.ts'
import type { Job, Refresh } from './job.ts'
import type { Outcome } from './tally.ts'
import { runWrk, wrkVersion } from './wrk.ts'

export type Load = Omit<Job, 'url'>

export const generatorName = wrkVersion ?? 'bench/load/generator.ts'

/**
 * Sends requests from another process, and returns the number of responses. One bad response invalidates the whole
 * measurement.
 */
export async function load(server: Server, requests: Load): Promise<Figure> {
  // wrk disconnects in the middle of requests, and a server would go on hashing for closed connections while the next
  // one is measured.
  const isForWrk = requests.perSecond === undefined && requests.requests.every(({ method }) => method !== 'POST')
  const run = wrkVersion && isForWrk ? runWrk : ours('generator.ts')
  return measured(server, requests, run)
}

/** Each connection logs in with one of the requests, and refreshes its own session from then on. */
export async function refresh(server: Server, logIns: Load & { refresh: Refresh }): Promise<Figure> {
  // The log-ins are not in the rate, but they are in the processor time.
  const { cpu: _, ...figure } = await measured(server, logIns, ours('refresher.ts'))
  return figure
}

/** Each connection logs in with one of the requests and adds a passkey, and signs in with it from then on. */
export async function signInWithPasskeys(server: Server, logIns: Load & { origin: string }): Promise<Figure> {
  // As above, the log-ins are in the processor time.
  const { cpu: _, ...figure } = await measured(server, logIns, ours('passkey-user.ts'))
  return figure
}

async function measured(server: Server, load: Load, run: (job: Job) => Promise<Outcome>): Promise<Figure> {
  const before = processorSeconds(server.pid)
  const { responses, late = 0, seconds, p99, bad, firstBad = '' } = await run({ url: server.url, ...load })
  const after = processorSeconds(server.pid)
  if (bad > 0)
    throw new BadResponses(`${bad} bad responses beside ${responses} good ones: ${firstBad} ${server.lastOutput()}`)
  if (responses === 0) throw new BadResponses('no response within the time')
  return {
    rate: responses / seconds,
    p99,
    ...(before !== undefined && after !== undefined && { cpu: ((after - before) / (responses + late)) * 1e6 }),
  }
}

/** The measurement is invalid. */
class BadResponses extends Error {}

// Log-ins before the first refresh, and responses to the last requests, come on top of the time of the load.
const BEFORE_AND_AFTER_MS = 60_000

/** A server that stops responding is a failure of the measurement, and must not block the run. */
function limitMsOf({ seconds }: Job): number {
  return seconds * 1000 + BEFORE_AND_AFTER_MS
}

function ours(file: string) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return async (job: Job): Promise<Outcome> =>
    JSON.parse(await output(process.execPath, [path], { input: JSON.stringify(job), limitMs: limitMsOf(job) }))
}
