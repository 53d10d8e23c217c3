import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PictureFile, PictureHeader, PictureProblem, PictureSizes } from './picture-facts.ts'
import { writeWhole } from './picture-store.ts'

/** The known facts about a file of the content folder. */
export interface PictureFacts {
  /** Null for a file that is no picture. */
  header: PictureHeader | null
  /** The hash of the content, once the file was read whole. */
  hash?: string
  sizes?: PictureSizes | PictureProblem
}

// Increment it when the meaning of the facts changes: those of former versions are then not read.
const VERSION = 1
const FILE = 'index.json'

/**
 * Facts about files, by name, modification time and size. They are stored in a file, so that a start does not read the
 * pictures again. A missing or damaged file costs time only.
 */
export async function openPictureIndex(folder: string) {
  const facts = await readFacts(folder)
  const used = new Set<string>()
  let isChanged = false

  return {
    find(file: PictureFile): PictureFacts | undefined {
      const key = keyOf(file)
      used.add(key)
      return facts.get(key)
    },
    set(file: PictureFile, known: PictureFacts): void {
      facts.set(keyOf(file), known)
      used.add(keyOf(file))
      isChanged = true
    },
    /** The keys of all sizes that are known. */
    keys(): Set<string> {
      return new Set([...facts.values()].flatMap(({ sizes }) => (sizes && 'key' in sizes ? [sizes.key] : [])))
    },
    /** Writes the facts about files that were used since the start. */
    async save(): Promise<void> {
      if (!isChanged) return
      isChanged = false
      const entries = [...facts].filter(([key]) => used.has(key))
      await writeWhole(folder, FILE, JSON.stringify({ version: VERSION, facts: Object.fromEntries(entries) }))
    },
  }
}

export type PictureIndex = Awaited<ReturnType<typeof openPictureIndex>>

async function readFacts(folder: string): Promise<Map<string, PictureFacts>> {
  try {
    const { version, facts } = JSON.parse(await readFile(join(folder, FILE), 'utf8'))
    return new Map(version === VERSION ? Object.entries(facts) : [])
  } catch {
    return new Map()
  }
}

function keyOf({ file, modified, size }: PictureFile): string {
  return `${modified.valueOf()} ${size} ${file}`
}
