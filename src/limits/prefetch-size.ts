// A process prefetches at most 1/400 of the limit. So while up to four other processes hold reserved hits that they do
// not use, at least 99 % of the limit is admitted.
const PREFETCH_DIVISOR = 400
// The only process prefetches at least this many, so that it writes a fraction of the rows, but at most 1/10 of the
// limit. It returns the unused hits when another process has started, and when it ends (return-unused.ts).
const ONLY_PROCESS_PREFETCH = 8
const ONLY_PROCESS_DIVISOR = 10
// At most 1/8 of the unreserved hits is prefetched, so that few hits stay unused near the limit.
const UNRESERVED_DIVISOR = 8
// When the reserved hits lasted less than this, the next prefetch is twice as large; otherwise half as large.
const MIN_RESERVATION_MS = 1000

interface LastReservation {
  /** The hits that it prefetched. */
  prefetched: number
  ageMs: number
  /** Hits of the limit that no process has reserved. */
  unreserved: number
}

/** The number of hits that the next reservation of a counter prefetches, which means: reserves ahead of demand. */
export function prefetchSize(
  limit: number,
  { prefetched, ageMs, unreserved }: LastReservation,
  isOnlyProcess: boolean,
): number {
  const wanted = ageMs < MIN_RESERVATION_MS ? Math.max(1, prefetched * 2) : Math.floor(prefetched / 2)
  const sharedMax = Math.floor(limit / PREFETCH_DIVISOR)
  const shared = Math.min(wanted, sharedMax)
  const minimum = isOnlyProcess ? Math.min(ONLY_PROCESS_PREFETCH, Math.floor(limit / ONLY_PROCESS_DIVISOR)) : 0
  return Math.min(Math.max(shared, minimum), Math.floor(unreserved / UNRESERVED_DIVISOR))
}
