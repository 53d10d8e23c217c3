import { type Library, readLibrary, withPictureFacts } from '../content/library.ts'
import { watchFolder } from '../content/watch-folder.ts'
import type { PictureIndex } from '../pictures/picture-index.ts'

export interface ContentReader {
  /** Reads what has changed since the last reading. The first reading, and the next after `readAllNext`, read all. */
  read(): Promise<Library>
  readAllNext(): void
  /** Watches the folder, and calls `changed` when a file of it has changed. Until this call, no change is noted. */
  watch(changed: () => void): void
  close(): void
}

export function createContentReader(folder: string, pictures: Pick<PictureIndex, 'find' | 'set'>): ContentReader {
  let library: Library | undefined
  /** The names of the files that have changed since the last reading. Undefined if any file may have changed. */
  let changes: Set<string> | undefined
  let watcher: ReturnType<typeof watchFolder> | undefined

  function readAllNext(): void {
    changes = undefined
  }

  return {
    async read() {
      const taken = changes
      changes = new Set()
      library =
        library && taken?.size === 0
          ? withPictureFacts(library, pictures)
          : await readLibrary(folder, library, taken, pictures)
      return library
    },
    readAllNext,
    watch(changed) {
      watcher = watchFolder(folder, (file) => {
        if (file === undefined) readAllNext()
        else changes?.add(file)
        changed()
      })
      // Files may have changed between the last reading and the start of the watcher.
      readAllNext()
    },
    close() {
      watcher?.close()
    },
  }
}
