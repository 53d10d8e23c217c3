import { setTimeout } from 'node:timers/promises'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { isBusy } from './sqlite-errors.ts'

/**
 * Tries something until no other process holds the file, or until it is time to give up. It waits by timer: SQLite's own
 * waiting would stop this whole process, and everybody it serves, for as long as another one writes.
 */
export async function retryWhileBusy<T>(attempt: () => MaybePromise<T>, deadlineMs: number): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadlineMs) throw error
    }
    await backOffWithJitter()
  }
}

/** Whoever enters waits until all who came before have left. */
export class Mutex {
  #last: Promise<void> | undefined

  get isFree(): boolean {
    return this.#last === undefined
  }

  async acquire(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return () => {
      if (this.#last === promise) this.#last = undefined
      resolve()
    }
  }
}

/** Of no fixed length, so that those who wait do not all come back together. */
export async function backOffWithJitter(): Promise<void> {
  await setTimeout(1 + Math.random() * 8)
}
