/** What was written is perhaps not on the disk, and nothing that follows it can be. */
export class FlushFailed extends Error {}

/**
 * Makes a function that resolves when everything written before it was called is on the disk. One flush is under way at a
 * time, and all who come meanwhile share the next one: the one that has begun may have missed what they wrote.
 *
 * A disk that has failed once is not believed again. After a failed flush systems forget what they could not write, and
 * what is added behind such a gap is lost with it. So every later one fails too, until a new start has read what is there.
 */
export function flushing(bringToDisk: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined

  return () => {
    next ??= running.then(() => {
      running = next as Promise<void>
      next = undefined
      return bringToDisk().catch((error) => {
        throw new FlushFailed('the disk has not taken what was written', { cause: error })
      })
    })
    return next
  }
}
