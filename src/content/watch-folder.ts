import { type FSWatcher, watch } from 'node:fs'
import { mayBePublished } from './folder.ts'

const POLL_INTERVAL_MS = 1_000

/** Tells of changes in the content folder, also when it is made later or another one takes its place. */
export function watchFolder(folder: string, changed: () => void): { close(): void } {
  let watcher: FSWatcher | undefined
  let looking: NodeJS.Timeout | undefined
  begin()

  function begin() {
    try {
      watcher = watch(folder, { recursive: true, persistent: false }, notice).on('error', () => {})
    } catch {
      looking = setTimeout(() => {
        begin()
        if (watcher) changed()
      }, POLL_INTERVAL_MS).unref()
    }
  }

  function notice(_event: string, file: string | null) {
    // Without a name it is the folder itself, which is not where it was.
    if (!file) {
      close()
      begin()
    }
    if (!file || mayBePublished(file)) changed()
  }

  function close() {
    clearTimeout(looking)
    watcher?.close()
    watcher = undefined
  }

  return { close }
}
