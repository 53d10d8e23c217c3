import { closeSync, createWriteStream, fsync, openSync } from 'node:fs'
import { lstat, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getSystemErrorMessage, promisify } from 'node:util'
import type { Config } from '../config/config.ts'
import { version } from '../lib/version.ts'
import { BackupError } from './backup-error.ts'
import { openBackup } from './backup-file.ts'
import { tablesInBackup } from './contents.ts'
import { encodeBackup } from './encode.ts'
import { FORMAT, FORMAT_VERSION, type Header } from './format.ts'
import { compress, encryptWith } from './layers.ts'
import { openSource } from './open.ts'
import type { OnProgress } from './progress.ts'

export interface BackUpOptions {
  /** Encrypts the backup if it is given. */
  passphrase: string | undefined
  onProgress: OnProgress
  /** Ends the backup, which then rejects. */
  signal: AbortSignal
}

export interface BackedUp {
  createdAt: string
  engine: Header['engine']
  tables: number
  rows: number
  bytes: number
  isEncrypted: boolean
  isVerified: boolean
}

/**
 * Writes a backup of a database that may be in use. The file gets its name after it was written, synced, and read again
 * to its end. If a step fails, nothing is left behind.
 */
export async function backUpToFile(
  database: Config['database'],
  file: string,
  { replaces, ...options }: BackUpOptions & { replaces: boolean },
): Promise<BackedUp> {
  const target = resolve(file)
  await checkTarget(target, replaces)
  return inWorkspace(dirname(target), async (workspace) => {
    const temporary = join(workspace, 'backup')
    // `flush` calls fsync before the file is closed.
    const openFile = () => createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true })
    const written = await write(database, openFile, workspace, options)
    await verify(temporary, written, options)
    // Another process may have written the file since.
    await checkTarget(target, replaces)
    await rename(temporary, target)
    await syncFolder(dirname(target))
    return { ...written, isVerified: true }
  })
}

/** Writes a backup to a stream, which cannot be read again: the result is not verified. */
export async function backUpToStream(
  database: Config['database'],
  stream: Writable,
  options: BackUpOptions & { workspaceIn: string },
): Promise<BackedUp> {
  return inWorkspace(options.workspaceIn, (workspace) => write(database, () => stream, workspace, options))
}

async function write(
  database: Config['database'],
  openDestination: () => Writable,
  workspace: string,
  { passphrase, onProgress, signal }: BackUpOptions,
): Promise<BackedUp> {
  onProgress('Copying')
  // Everything that was committed before this moment is in the backup.
  const createdAt = new Date().toISOString()
  const source = await openSource(database, workspace)
  try {
    const tables = await tablesInBackup(source.migrations)
    const { engine, migrations } = source
    const header: Header = { format: FORMAT, version: FORMAT_VERSION, portico: version, engine, migrations, createdAt }
    const result = { createdAt, engine, tables: tables.length, rows: 0, bytes: 0 }
    const lines = encodeBackup(header, tables, source.rowsOf, (table, rows) => {
      signal.throwIfAborted()
      result.rows += rows
      onProgress('Writing', `${table}, ${result.rows.toLocaleString('en')} rows`)
    })
    async function* counted(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        result.bytes += chunk.length
        yield chunk
      }
    }
    const isEncrypted = passphrase !== undefined
    if (isEncrypted) await pipeline(lines, compress(), encryptWith(passphrase), counted, openDestination())
    else await pipeline(lines, compress(), counted, openDestination())
    return { ...result, isEncrypted, isVerified: false }
  } finally {
    await source.close()
  }
}

/** Reads the whole file with the same checks as a restore. */
async function verify(file: string, written: BackedUp, { passphrase, onProgress, signal }: BackUpOptions) {
  const backup = await openBackup(file)
  try {
    if (passphrase !== undefined) await backup.unlock(passphrase)
    let rows = 0
    const count = (_table: unknown, batch: unknown[]) => {
      signal.throwIfAborted()
      rows += batch.length
    }
    const { header } = await backup.read(count, (part) => onProgress('Verifying', '', part))
    if (header.createdAt !== written.createdAt || rows !== written.rows || backup.bytes !== written.bytes) {
      throw new BackupError('The file does not contain what was written to it.')
    }
  } finally {
    await backup.close()
  }
}

async function checkTarget(target: string, replaces: boolean): Promise<void> {
  const existing = await lstat(target).catch(() => undefined)
  if (existing && !existing.isFile()) throw new BackupError(`${target} is not a file.`)
  if (existing && !replaces) throw new BackupError(`${target} exists. --force replaces it.`)
}

/** A folder that only the owner may read, for files that are deleted in any case. */
async function inWorkspace<T>(parent: string, work: (workspace: string) => Promise<T>): Promise<T> {
  const workspace = await mkdtemp(join(parent, '.portico-backup-')).catch((error: NodeJS.ErrnoException) => {
    const reason = error.errno === undefined ? error.message : getSystemErrorMessage(error.errno)
    throw new BackupError(`Nothing can be written to the folder ${parent}: ${reason}.`)
  })
  try {
    return await work(workspace)
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

/** Makes a rename durable (fsync(2): the entry in the folder needs an fsync of its own). */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders.
  if (process.platform === 'win32') return
  // The `FileHandle` of yarn, which replaces `node:fs` (Plug'n'Play), has no `sync`.
  const descriptor = openSync(folder, 'r')
  await promisify(fsync)(descriptor).finally(() => closeSync(descriptor))
}
