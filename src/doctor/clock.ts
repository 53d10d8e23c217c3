import { openClock } from '../database/clock.ts'
import { type Check, fault, type Observation, ok, skipped, warning } from './finding.ts'
import { visit } from './visit.ts'

const WARNING_SECONDS = 1
const FAULT_SECONDS = 30
// The Date header has whole seconds, and a proxy may cache it for some.
const WARNING_SECONDS_OF_DATE_HEADER = 5
const REMEDY = 'Let a time service such as chrony or systemd-timesyncd set the clock of both machines.'

/** Compares the clock of this machine with those of PostgreSQL and of the server at BASE_URL. */
export const checkClock: Check = async ({ database, config, signal }) => {
  const observations: Observation[] = []
  if (database?.name === 'postgres') {
    const clock = await openClock(database)
    observations.push(...observeOffset('the database', clock.now() - Date.now(), WARNING_SECONDS))
  }
  const offsetMs = await offsetOfServer(`${config.baseUrl}/healthz`, signal)
  if (offsetMs !== undefined)
    observations.push(...observeOffset(config.baseUrl, offsetMs, WARNING_SECONDS_OF_DATE_HEADER))
  if (observations.length > 0) return observations
  return [
    database?.name === 'postgres' || offsetMs !== undefined
      ? ok('the clocks agree')
      : skipped('there is no other clock to compare with'),
  ]
}

function observeOffset(where: string, offsetMs: number, warningSeconds: number): Observation[] {
  const seconds = Math.abs(offsetMs) / 1000
  if (seconds <= warningSeconds) return []
  const relation = `${seconds.toFixed(1)} seconds ${offsetMs > 0 ? 'behind' : 'ahead of'}`
  const message = `the clock of this machine is ${relation} that of ${where}`
  return [seconds > FAULT_SECONDS ? fault(message, REMEDY) : warning(message, REMEDY)]
}

/** Undefined if the server does not respond, which another check reports. */
async function offsetOfServer(url: string, signal: AbortSignal): Promise<number | undefined> {
  const response = await visit(url, { signal }).catch(() => undefined)
  const date = Date.parse(response?.headers.date ?? '')
  if (!response || Number.isNaN(date)) return undefined
  // The header was written between sending and receiving, and its fraction of a second is cut off.
  if (date < response.sentAtMs - 1000) return date - (response.sentAtMs - 1000)
  return Math.max(0, date - response.receivedAtMs)
}
