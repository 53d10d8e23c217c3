import { MINUTE_MS } from './dates.ts'
export interface RequestTally {
  /** A response was sent. */
  count(isError: boolean): void
  /** The responses of the last hour, and those of them that were errors of the service. */
  lastHour(): { requests: number; errors: number }
}

const MINUTES = 60

/** Counts responses by the minute, for the last hour. `now` returns milliseconds that never go back. */
export function createRequestTally(now: () => number = () => performance.now()): RequestTally {
  const slots = Array.from({ length: MINUTES }, () => ({ minute: -1, requests: 0, errors: 0 }))
  const minuteNow = () => Math.floor(now() / MINUTE_MS)

  return {
    count(isError) {
      const minute = minuteNow()
      const slot = slots[minute % MINUTES] as (typeof slots)[number]
      if (slot.minute !== minute) Object.assign(slot, { minute, requests: 0, errors: 0 })
      slot.requests += 1
      if (isError) slot.errors += 1
    },
    lastHour() {
      const oldest = minuteNow() - MINUTES
      const recent = slots.filter(({ minute }) => minute > oldest)
      const sum = (name: 'requests' | 'errors') => recent.reduce((total, slot) => total + slot[name], 0)
      return { requests: sum('requests'), errors: sum('errors') }
    },
  }
}
