import type { Rate } from '../config/settings-reader.ts'
import type { CountedRequest } from '../http/rate-limit.ts'

interface CounterState {
  remaining: number
  secondsLeft: number
}

/** Adds a limit to the headers of the response. The newest state of a limit replaces the one before. */
export function setRateLimitHeaders(request: CountedRequest, policy: string, state: string): void {
  if (request.rateLimitPolicies === '') {
    request.rateLimitPolicies = policy
    request.rateLimitStates = state
    return
  }
  const policies = request.rateLimitPolicies.split(', ')
  const states = request.rateLimitStates.split(', ')
  const known = policies.indexOf(policy)
  const at = known < 0 ? policies.length : known
  policies[at] = policy
  states[at] = state
  request.rateLimitPolicies = policies.join(', ')
  request.rateLimitStates = states.join(', ')
}

/** The item of a limit in RateLimit-Policy. */
export function policyText({ name, count, seconds }: Rate & { name: string }): string {
  return `"${name}";q=${count};w=${seconds}`
}

/** The item of a limit in RateLimit. */
export function stateText(name: string, { remaining, secondsLeft }: CounterState): string {
  return `"${name}";r=${remaining};t=${secondsLeft}`
}
