import { type FSWatcher, watch } from 'node:fs'
import { sep } from 'node:path'
import { mayBePublished } from './folder.ts'

const POLL_INTERVAL_MS = 1_000

/**
 * Calls `changed` with the name of a file in the content folder that changes, and without a name when the folder is
 * created or replaced.
 */
export function watchFolder(folder: string, changed: (file?: string) => void): { close(): void } {
  let watcher: FSWatcher | undefined
  let pollTimer: NodeJS.Timeout | undefined
  start()

  function start() {
    try {
      watcher = watch(folder, { recursive: true, persistent: false }, onEvent).on('error', () => {})
    } catch {
      pollTimer = setTimeout(() => {
        start()
        if (watcher) changed()
      }, POLL_INTERVAL_MS).unref()
    }
  }

  function onEvent(_event: string, file: string | null) {
    // An event without a file name means that the folder itself was moved or deleted.
    if (!file) {
      close()
      start()
    }
    if (!file) changed()
    else if (mayBePublished(file)) changed(file.replaceAll(sep, '/'))
  }

  function close() {
    clearTimeout(pollTimer)
    watcher?.close()
    watcher = undefined
  }

  return { close }
}
