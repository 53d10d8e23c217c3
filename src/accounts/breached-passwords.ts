import { createHash } from 'node:crypto'
import { withoutSlash } from '../config/without-slash.ts'
import { invalid } from '../http/refusal.ts'
import { boundedFetch } from '../lib/bounded-fetch.ts'
import { traceHeaders } from '../lib/trace-context.ts'
import type { Log } from '../logging/log.ts'

/**
 * Throws a validation error of the field when the password is in the list of breached passwords. A list that does not
 * respond refuses no password.
 */
export type RefuseBreachedPassword = (field: string, password: string) => Promise<void>

const TIMEOUT_MS = 1000
const PREFIX_LENGTH = 5
// Beyond this, passwords pass unchecked: a list that responds slowly must not collect open requests without a bound.
const MAX_CONCURRENT_REQUESTS = 100
const WARNING_INTERVAL_MS = 60_000

/**
 * Asks a range API like that of Have I Been Pwned (https://haveibeenpwned.com/API/v3#PwnedPasswords). The request has
 * the first five hexadecimal digits of the password's SHA-1, which hundreds of listed passwords share, so the list does
 * not learn the password. `Add-Padding` hides the number of matches from somebody who sees the size of the response.
 */
export function createRefuseBreachedPassword(url: string | undefined, log: Pick<Log, 'warn'>): RefuseBreachedPassword {
  if (!url) return async () => {}
  let running = 0
  let unchecked = 0
  let warnedAt = Number.NEGATIVE_INFINITY

  return async (field, password) => {
    if (await isListed(password)) {
      throw invalid(field, 'breached_password', 'Password is known from a data breach, please choose another one')
    }
  }

  async function isListed(password: string): Promise<boolean> {
    if (running >= MAX_CONCURRENT_REQUESTS) return pass('too many requests at the same time')
    running += 1
    try {
      return await askRange(url as string, password)
    } catch (error) {
      return pass(kindOf(error))
    } finally {
      running -= 1
    }
  }

  /** Lets a password pass unchecked, and logs so once a minute. The log contains nothing of the password. */
  function pass(reason: string): false {
    unchecked += 1
    if (performance.now() - warnedAt >= WARNING_INTERVAL_MS) {
      log.warn({ reason, unchecked }, 'new passwords are accepted unchecked: BREACHED_PASSWORDS_URL gives no range')
      warnedAt = performance.now()
      unchecked = 0
    }
    return false
  }
}

class ListFault extends Error {}

async function askRange(url: string, password: string): Promise<boolean> {
  const digest = createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase()
  const response = await boundedFetch(`${withoutSlash(url)}/${digest.slice(0, PREFIX_LENGTH)}`, {
    headers: { 'Add-Padding': 'true', 'User-Agent': 'Portico', ...traceHeaders() },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: 'error',
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new ListFault(`status ${response.status}`)
  }
  return hasSuffix(await response.text(), digest.slice(PREFIX_LENGTH))
}

/** Whether the range has a row with this suffix. Rows with the count 0 are padding. */
function hasSuffix(range: string, suffix: string): boolean {
  const rows = range.split('\n').flatMap((line) => {
    const [, listed, count] = /^([\dA-Fa-f]{35}):(\d{1,15})\r?$/.exec(line) ?? []
    return listed ? [{ listed: listed.toUpperCase(), count: Number(count) }] : []
  })
  // A padded range has at least 800 rows.
  if (rows.length === 0) throw new ListFault('no range')
  return rows.some(({ listed, count }) => listed === suffix && count > 0)
}

/** The message of a fetch error may contain the URL with the prefix, so only its name and code are logged. */
function kindOf(error: unknown): string {
  if (error instanceof ListFault) return error.message
  const { name, cause } = error as Error
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  return [name, code].filter(Boolean).join(' ')
}
