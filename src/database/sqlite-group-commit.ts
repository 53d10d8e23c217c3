/** What was written is perhaps not on the disk, and nothing that follows it can be. */
export class FsyncFailed extends Error {}

export interface GroupCommit {
  /** Resolves when everything that was written before is on the disk. */
  (): Promise<void>
  /** Throws when one has failed. */
  check(): void
  /** Makes this and every later flush fail: an fsync elsewhere has failed. */
  fail(cause: unknown): void
}

/**
 * One flush is under way at a time, and all who come meanwhile share the next one: the one that has begun may have missed
 * what they wrote.
 *
 * A disk that has failed once is not believed again. After a failed flush systems forget what they could not write, and
 * what is added behind such a gap is lost with it. So every later one fails too, until a new start has written it anew.
 */
export function createGroupCommit(syncWal: () => Promise<void>): GroupCommit {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let failure: FsyncFailed | undefined

  const flush = () => {
    next ??= running.then(begin)
    return next
  }
  flush.check = () => {
    if (failure) throw failure
  }
  flush.fail = (cause: unknown) => {
    failure ??= new FsyncFailed('the disk has not taken what was written', { cause })
  }
  return flush

  async function begin() {
    running = next as Promise<void>
    next = undefined
    try {
      await syncWal()
    } catch (cause) {
      flush.fail(cause)
    }
    flush.check()
  }
}
