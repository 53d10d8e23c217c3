import type { LimitName } from '../config/limit-kinds.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

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
 * The texts of the RateLimit headers of a response: one item for each limit that has counted its request, or none. The
 * limit of a network has an item only if it has refused the request.
 */
export interface CountedRequest {
  rateLimitPolicies: string
  rateLimitStates: string
}

export interface Limits {
  /**
   * Counts the request in each of these counters, and throws a refusal with 429 if one of them is past its limit. The
   * counters of the networks follow those of the address, and count only a request that the address counters have
   * admitted. A counter of a limit with `mayPassUncounted` is passed alone, and is counted in hits that this process
   * has reserved. Its `subject` is a kind of subject, such as "session", and the subject.
   */
  take(request: CountedRequest, ...counters: Counter[]): MaybePromise<undefined>
}

export function counter(limit: LimitName, ...subject: string[]): Counter {
  return { limit, subject, cost: 1 }
}
