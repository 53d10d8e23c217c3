/** Mutual exclusion for asynchronous code. Callers acquire the mutex in the order of their calls. */
export class Mutex {
  // Resolves when the last caller in the queue has released the mutex. Undefined while the mutex is free.
  #lastRelease: Promise<void> | undefined

  get isFree(): boolean {
    return this.#lastRelease === undefined
  }

  /** Resolves when all earlier callers have released the mutex. The result is the function that releases it. */
  async acquire(): Promise<() => void> {
    const { promise: released, resolve } = Promise.withResolvers<void>()
    const previousRelease = this.#lastRelease
    this.#lastRelease = released
    await previousRelease
    return () => {
      if (this.#lastRelease === released) this.#lastRelease = undefined
      resolve()
    }
  }
}
