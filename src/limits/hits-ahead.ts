// A process reserves at most 1/400 of the limit ahead of demand. So while up to four other processes hold reserved hits
// that they do not use, at least 99 % of the limit is admitted.
const AHEAD_DIVISOR = 400
// The only process may reserve more: there is no other that could need the hits. If another one starts, it may refuse
// this many calls too many in the current window.
const AHEAD_OF_ONLY_PROCESS = 16
// At most 1/8 of the unreserved hits is reserved ahead of demand, so that few hits stay unused near the limit.
const REMAINING_DIVISOR = 8
// When the reserved hits lasted less than this, the next reservation is twice as large; otherwise half as large.
const MIN_RESERVATION_MS = 1000

interface LastReservation {
  /** The hits that it took ahead of demand. */
  ahead: number
  ageMs: number
  /** Hits of the limit that no process has reserved. */
  unreserved: number
}

/** The number of hits that the next reservation of a counter takes ahead of demand. */
export function hitsAhead(
  limit: number,
  { ahead, ageMs, unreserved }: LastReservation,
  isOnlyProcess: boolean,
): number {
  const wanted = ageMs < MIN_RESERVATION_MS ? Math.max(1, ahead * 2) : Math.floor(ahead / 2)
  const ofMany = Math.min(wanted, Math.floor(limit / AHEAD_DIVISOR))
  const most = isOnlyProcess ? Math.max(ofMany, AHEAD_OF_ONLY_PROCESS) : ofMany
  return Math.min(most, Math.floor(unreserved / REMAINING_DIVISOR))
}
