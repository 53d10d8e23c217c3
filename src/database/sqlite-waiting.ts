import { setTimeout } from 'node:timers/promises'
import type { Soon } from '../soon.ts'
import { isBusy } from './sqlite-errors.ts'

/**
 * Tries something until no other process holds the file, or until it is time to give up. It waits by timer: SQLite's own
 * waiting would stop this whole process, and everybody it serves, for as long as another one writes.
 */
export async function untilFree<T>(attempt: () => Soon<T>, giveUpAt: number): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() > giveUpAt) throw error
    }
    await aMoment()
  }
}

/** Whoever enters waits until all who came before have left. */
export class Line {
  #last: Promise<void> | undefined

  get isEmpty(): boolean {
    return this.#last === undefined
  }

  async enter(): Promise<() => void> {
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
export async function aMoment(): Promise<void> {
  await setTimeout(1 + Math.random() * 8)
}
