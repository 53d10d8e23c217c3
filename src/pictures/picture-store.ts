import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS, HOUR_MS } from '../lib/dates.ts'

const DIGEST_BYTES = 32
/** Unused entries are kept for cached pages that still show them. */
const UNUSED_RETENTION_MS = DAY_MS
const TEMPORARY = /\.temporary$/

/**
 * A folder of derived pictures. Several processes may share it: an entry is written to a temporary file, which is
 * renamed. An entry begins with the SHA-256 of its content, so that a damaged one is found when it is read.
 */
export function createPictureStore(folder: string) {
  return {
    /** The content of an entry. Undefined if there is none. A damaged entry is removed. */
    async read(name: string): Promise<Buffer | undefined> {
      const path = join(folder, name)
      const bytes = await readFile(path).catch(() => undefined)
      if (!bytes) return undefined
      const content = bytes.subarray(DIGEST_BYTES)
      if (digestOf(content).equals(bytes.subarray(0, DIGEST_BYTES))) return content
      await rm(path, { force: true })
      return undefined
    },

    async has(name: string): Promise<boolean> {
      return stat(join(folder, name)).then(
        ({ size }) => size > DIGEST_BYTES,
        () => false,
      )
    },

    async write(name: string, content: Buffer): Promise<void> {
      await writeWhole(folder, name, Buffer.concat([digestOf(content), content]))
    },

    /**
     * Removes entries that have been unused for a day. While the folder has more than `maxBytes`, also removes those
     * that have been unused for an hour, the oldest first. Returns the bytes of the others.
     */
    async sweep(isUsed: (name: string) => boolean, maxBytes: number): Promise<number> {
      const entries = await Promise.all(
        (await readdir(folder).catch(() => [])).map(async (name) => {
          const stats = await stat(join(folder, name)).catch(() => undefined)
          return stats?.isFile() ? [{ name, size: stats.size, ageMs: Date.now() - stats.mtimeMs }] : []
        }),
      )
      let total = entries.flat().reduce((sum, { size }) => sum + size, 0)
      for (const { name, size, ageMs } of entries.flat().sort((a, b) => b.ageMs - a.ageMs)) {
        const path = join(folder, name)
        if (!TEMPORARY.test(name) && isUsed(name)) {
          // The date tells other processes, and later sweeps, when the entry was last in use.
          if (ageMs > HOUR_MS) await utimes(path, new Date(), new Date()).catch(() => {})
        } else if (ageMs > UNUSED_RETENTION_MS || (total > maxBytes && ageMs > HOUR_MS)) {
          await rm(path, { force: true })
          total -= size
        }
      }
      return total
    },
  }
}

export type PictureStore = ReturnType<typeof createPictureStore>

/** Readers of the file get the former content or this one, and no part of it. */
export async function writeWhole(folder: string, name: string, content: string | Buffer): Promise<void> {
  await mkdir(folder, { recursive: true })
  const temporary = join(folder, `${randomUUID()}.temporary`)
  try {
    await writeFile(temporary, content)
    await rename(temporary, join(folder, name))
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

function digestOf(content: Buffer): Buffer {
  return createHash('sha256').update(content).digest()
}
