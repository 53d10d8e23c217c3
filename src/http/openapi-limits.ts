import type { Config } from '../config/config.ts'
import { LIMIT_KINDS, type LimitName } from '../config/limit-kinds.ts'
import { failureResponse } from './openapi-failure.ts'
import { headersOf } from './openapi-headers.ts'
import { tooManyRequests } from './refusal.ts'

/** A rate limit as the API description states it. */
export interface DocumentedLimit {
  name: LimitName
  limit: number
  windowSeconds: number
  counts: string
}

/** The limits of these names with their rates. Empty when rate limiting is off. */
export function documentedLimits(rates: Config['rateLimits'], names: LimitName[]): DocumentedLimit[] {
  if (!rates) return []
  return names.map((name) => {
    const { count, seconds } = rates[name]
    return { name, limit: count, windowSeconds: seconds, counts: LIMIT_KINDS[name].counts }
  })
}

/** The headers of a counted response, whatever its status. */
export function limitHeaders(limits: DocumentedLimit[]) {
  return limits.length === 0 ? {} : headersOf('RateLimit', 'RateLimit-Policy')
}

/** The 429 response of an operation with these limits. */
export function limitResponse(limits: DocumentedLimit[]) {
  return {
    description: `${tooManyRequests.message}. Limits: ${limits.map(inWords).join('; ')}`,
    headers: { ...headersOf('X-Request-Id'), ...limitHeaders(limits), ...headersOf('Retry-After') },
    ...failureResponse([tooManyRequests]),
    'x-rate-limits': limits,
  }
}

/** Such as "5 in 1 minute (log-ins for one account from one address)". */
function inWords({ limit, windowSeconds, counts }: DocumentedLimit): string {
  return `${limit} in ${timeInWords(windowSeconds)} (${counts})`
}

function timeInWords(seconds: number): string {
  const [unit, size]: [string, number] =
    seconds % 3600 === 0 ? ['hour', 3600] : seconds % 60 === 0 ? ['minute', 60] : ['second', 1]
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
