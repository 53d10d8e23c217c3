/** An fsync has failed. The commits that waited for it may be lost, and so may every commit after them in the WAL. */
export class FsyncFailed extends Error {}

export interface GroupCommit {
  /** Resolves when everything written to the WAL before this call is on the disk. Rejects with `FsyncFailed`. */
  waitForFsync(): Promise<void>
  /** Throws `FsyncFailed` once any fsync has failed. The driver calls it before each durable write. */
  throwIfFailed(): void
  /** Records that an fsync has failed elsewhere (during a checkpoint). The current and all later waits reject. */
  fail(cause: unknown): void
  /** Resolves when no fsync runs or is waited for. Never rejects. */
  untilIdle(): Promise<void>
}

/** For a database whose commits need no fsync: one that is only read, or one in memory. */
export const NO_GROUP_COMMIT: GroupCommit = {
  async waitForFsync() {},
  throwIfFailed() {},
  fail() {},
  async untilIdle() {},
}

/**
 * Group commit: commits that wait at the same time share one fsync of the WAL. In this file, fsync means fdatasync(2)
 * of the WAL, or any fsync that failed during a checkpoint.
 *
 * One fsync runs at a time. A commit made while an fsync runs waits for the next one, since the running fsync may have
 * started before the frames of that commit were written. All commits made meanwhile share that next fsync.
 *
 * A failed fsync is final until the process restarts. Linux marks pages that it could not write as clean, so a second
 * fsync would succeed without writing them (https://wiki.postgresql.org/wiki/Fsync_Errors). SQLite's recovery stops at
 * the first invalid frame of the WAL (https://www.sqlite.org/fileformat2.html#walformat), so later commits would be
 * lost as well. The next start copies the whole WAL into the database file before it writes, unless another process
 * reads the WAL until the busy timeout (`truncateWalAtStart` in sqlite.ts).
 */
export function createGroupCommit(syncWal: () => Promise<void>): GroupCommit {
  let runningFsync: Promise<void> = Promise.resolve()
  let nextFsync: Promise<void> | undefined
  let failure: FsyncFailed | undefined

  return { waitForFsync, throwIfFailed, fail, untilIdle }

  function waitForFsync() {
    // A rejected `runningFsync` rejects `nextFsync` too, without another call of `syncWal`.
    nextFsync ??= runningFsync.then(startNextFsync)
    return nextFsync
  }

  async function startNextFsync() {
    runningFsync = nextFsync as Promise<void>
    nextFsync = undefined
    try {
      await syncWal()
    } catch (cause) {
      fail(cause)
    }
    throwIfFailed()
  }

  function throwIfFailed() {
    if (failure) throw failure
  }

  function fail(cause: unknown) {
    failure ??= new FsyncFailed('an fsync of the database has failed: writes are refused until a restart', { cause })
  }
  async function untilIdle() {
    await (nextFsync ?? runningFsync).catch(() => {})
  }
}
