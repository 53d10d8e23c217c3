import { setTimeout } from 'node:timers/promises'

// Well above what a handful of statements takes, and below what a person notices.
const MILLISECONDS = 50

/**
 * Does something that takes longer for an address with an account than for one without, and ends no sooner than either
 * would: how long the answer took tells nobody which it was.
 */
export async function inEvenTime<T>(work: () => Promise<T>): Promise<T> {
  const earliest = setTimeout(MILLISECONDS)
  try {
    return await work()
  } finally {
    await earliest
  }
}
