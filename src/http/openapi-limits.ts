import type { Config } from '../config/config.ts'
import { LIMIT_KINDS, type LimitName } from '../config/limit-kinds.ts'
import { exampleOfFailure, failureOf, ofEveryResponse } from './openapi-failure.ts'
import { tooManyRequests } from './refusal.ts'

/** A rate limit as the API description states it. */
export interface AnnouncedLimit {
  name: LimitName
  limit: number
  windowSeconds: number
  counts: string
}

/** The limits of these names with their rates. Empty when rate limiting is off. */
export function announcedLimits(rates: Config['rateLimits'], names: LimitName[]): AnnouncedLimit[] {
  if (!rates) return []
  return names.map((name) => {
    const { count, seconds } = rates[name]
    return { name, limit: count, windowSeconds: seconds, counts: LIMIT_KINDS[name].counts }
  })
}

/** The headers of a counted response. They are optional: calls pass uncounted while the database cannot be written. */
export function limitHeaders([limit]: AnnouncedLimit[]) {
  if (!limit) return {}
  const { name, limit: count, windowSeconds } = limit
  return {
    RateLimit: {
      description:
        'What is left of each limit, and the seconds until it starts anew (IETF draft "RateLimit header fields")',
      schema: { type: 'string' },
      example: `"${name}";r=${count - 1};t=${windowSeconds}`,
    },
    'RateLimit-Policy': {
      description: 'The limits themselves: a count (q) in a window of seconds (w)',
      schema: { type: 'string' },
      example: `"${name}";q=${count};w=${windowSeconds}`,
    },
  }
}

/** The 429 response, under its status. Empty when there are no limits. */
export function limitResponse(limits: AnnouncedLimit[]) {
  if (limits.length === 0) return {}
  return {
    [tooManyRequests.status]: {
      description: `${tooManyRequests.message}. Limits: ${limits.map(inWords).join('; ')}`,
      headers: {
        ...ofEveryResponse,
        ...limitHeaders(limits.slice(-1)),
        'Retry-After': {
          description: 'The seconds after which another try is of use',
          required: true,
          schema: { type: 'integer', minimum: 1 },
          example: limits.at(-1)?.windowSeconds,
        },
      },
      content: {
        'application/json': {
          schema: failureOf([tooManyRequests]),
          example: exampleOfFailure(tooManyRequests),
        },
      },
      'x-rate-limits': limits,
    },
  }
}

/** Such as "5 in 1 minute (log-ins for one account from one address)". */
function inWords({ limit, windowSeconds, counts }: AnnouncedLimit): string {
  return `${limit} in ${timeInWords(windowSeconds)} (${counts})`
}

function timeInWords(seconds: number): string {
  const [unit, size]: [string, number] =
    seconds % 3600 === 0 ? ['hour', 3600] : seconds % 60 === 0 ? ['minute', 60] : ['second', 1]
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
