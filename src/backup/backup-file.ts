import { open } from 'node:fs/promises'
import { BackupError } from './backup-error.ts'
import { type Contents, decodeBackup, type TakeRows } from './decode.ts'
import { contentOf, type Layers, layersOf, unlock } from './layers.ts'

/** A backup file that is open for reading. */
export interface BackupFile extends Layers {
  bytes: number
  /** Must be called before an encrypted file is read. */
  unlock(passphrase: string): Promise<void>
  /** Reads and checks the whole file. `onProgress` gets the share that was read, from 0 to 1. */
  read(take: TakeRows, onProgress: (part: number) => void): Promise<Contents>
  close(): Promise<void>
}

export async function openBackup(path: string): Promise<BackupFile> {
  const file = await open(path, 'r').catch((error) => {
    const problem = error.code === 'ENOENT' ? `${path} does not exist.` : `The backup cannot be read: ${error.message}`
    throw new BackupError(problem)
  })
  try {
    const stat = await file.stat()
    // A backup is read more than once, which a pipe does not allow.
    if (!stat.isFile()) throw new BackupError(`${path} is not a file.`)
    const { size } = stat
    const layers = await layersOf(file)
    let key: Uint8Array | undefined
    return {
      ...layers,
      bytes: size,
      async unlock(passphrase) {
        key = await unlock(file, passphrase)
      },
      read: (take, onProgress) =>
        read(
          contentOf(file, layers, key, (bytes) => onProgress(Math.min(bytes / size, 1))),
          take,
        ),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function read(content: AsyncIterable<Buffer>, take: TakeRows): Promise<Contents> {
  let failure: unknown
  const guarded: TakeRows = async (table, rows) => {
    try {
      await take(table, rows)
    } catch (error) {
      failure = error
      throw error
    }
  }
  try {
    return await decodeBackup(content, guarded)
  } catch (error) {
    // Every other error is one of the decryption or decompression.
    if (error === failure || error instanceof BackupError) throw error
    throw new BackupError(`The backup is damaged or cut short: ${(error as Error).message}`)
  }
}
