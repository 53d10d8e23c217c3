import type { LimitName } from '../config/limit-kinds.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Caller, Request } from './request.ts'

/** A counter of a rate limit, and the hits to add to it. */
export interface Counter {
  limit: LimitName
  /** The subject of the counter, such as an account, an address or a session, in one or more parts. */
  subject: string[]
  /** The number of hits that this request adds. */
  cost: number
  /** For the counter of a network: the length of its prefix, and the multiple of the rate that it is allowed. */
  network?: { bits: number; factor: number }
}

/**
 * The values of the RateLimit headers of a response, with an item for each limit that has counted the request. The
 * limit of a network has an item only if it has refused the request.
 */
export interface CountedRequest {
  rateLimitPolicies: string
  rateLimitStates: string
}

export interface Limits {
  /**
   * Counts the request in each of these counters, and throws a refusal with 429 if one of them exceeds its limit. The
   * counters of an address come before those of its networks. A request that is refused for its address is not counted
   * for the networks. The headers of the response state the limits that have counted the request.
   *
   * A counter of a limit with `mayPassUncounted` must be the only argument. It takes a hit that this process has
   * reserved (`limits/limit-reservations.ts`). Its `subject` has two parts: the kind, such as "session", and the id.
   */
  take(request: CountedRequest, ...counters: Counter[]): MaybePromise<undefined>
}

export function counter(limit: LimitName, ...subject: string[]): Counter {
  return { limit, subject, cost: 1 }
}

/**
 * Counts a request in the rate limit `api`: for the session of its caller, and without a caller for its address. The
 * latter are calls of visitors, the documents that the API publishes, and unknown paths below /api. Throws a refusal
 * with 429 beyond the limit.
 */
export function countRequest(
  request: Request,
  caller: Caller | undefined,
  { limits, addressOf }: { limits: Limits; addressOf(request: Request): string },
): MaybePromise<undefined> {
  const subject = caller ? counter('api', 'session', caller.sessionId) : counter('api', 'address', addressOf(request))
  return limits.take(request, subject)
}
