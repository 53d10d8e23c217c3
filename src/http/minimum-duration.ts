import { setTimeout } from 'node:timers/promises'

// Far above the time of a handful of statements, and below what a person notices.
const MIN_DURATION_MS = 50

/**
 * Runs `work`, and settles no sooner than after MIN_DURATION_MS. This hides whether an e-mail address has an account:
 * the work takes longer for an address that has one, and both take less than the minimum.
 */
export async function withMinimumDuration<T>(work: () => Promise<T>): Promise<T> {
  const minimum = setTimeout(MIN_DURATION_MS)
  try {
    return await work()
  } finally {
    await minimum
  }
}
