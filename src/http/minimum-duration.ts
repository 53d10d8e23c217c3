import { setTimeout } from 'node:timers/promises'

// Well above what a handful of statements takes, and below what a person notices.
const MIN_DURATION_MS = 50

/**
 * Does something that takes longer for an address with an account than for one without, and ends no sooner than either
 * would: how long the answer took tells nobody which it was.
 */
export async function withMinimumDuration<T>(work: () => Promise<T>): Promise<T> {
  const earliest = setTimeout(MIN_DURATION_MS)
  try {
    return await work()
  } finally {
    await earliest
  }
}
