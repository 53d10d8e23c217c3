import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { type BackedUp, backUpToFile, backUpToStream } from '../backup/back-up.ts'
import { BackupError } from '../backup/backup-error.ts'
import { loadConfig } from '../config/config.ts'
import { printable } from '../lib/printable.ts'
import { explained, size, steps } from './backup-output.ts'
import type { Invocation } from './command.ts'
import { usageError } from './parse.ts'
import { newPassphrase } from './passphrase.ts'
import { alignColumns } from './terminal.ts'

const STDOUT = '-'

export async function run({ args: [file = ''], flag, text, json, terminal }: Invocation): Promise<undefined> {
  if (file === STDOUT && json) throw usageError('--json prints to stdout, where the backup goes')
  if (file === STDOUT && process.stdout.isTTY) throw usageError('A backup is not printed to a terminal')
  const { database } = loadConfig()
  const passphraseFile = text('passphrase-file')
  const isEncrypted = flag('encrypt') || passphraseFile !== undefined
  const passphrase = isEncrypted ? await newPassphrase(terminal, passphraseFile) : undefined

  const { onProgress, end } = steps(terminal)
  const options = { passphrase, onProgress, signal: untilInterrupted() }
  const workspaceIn = database.engine === 'sqlite' ? dirname(database.file) : tmpdir()
  const startedAtMs = performance.now()
  const result = await explained(
    file === STDOUT
      ? backUpToStream(database, process.stdout, { ...options, workspaceIn })
      : backUpToFile(database, file, { ...options, replaces: flag('force') }),
  ).finally(end)
  const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10

  if (json) terminal.printJson({ file, ...result, seconds })
  else for (const line of summary(file, result, seconds)) terminal[file === STDOUT ? 'note' : 'print'](line)
}

function summary(file: string, { tables, rows, bytes, isEncrypted, isVerified }: BackedUp, seconds: number): string[] {
  return alignColumns([
    ['Backup', file === STDOUT ? 'written to stdout' : printable(file)],
    ['Content', `${rows.toLocaleString('en')} rows of ${tables} tables`],
    ['Size', `${size(bytes)}, ${isEncrypted ? 'encrypted' : 'not encrypted'}`],
    ['Verified', isVerified ? 'yes: read back to its end' : 'no: what went to stdout cannot be read back'],
    ['Time', `${seconds} s`],
  ])
}

/** An interrupted backup removes its temporary files before it ends. */
function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () =>
      controller.abort(new BackupError(`The backup was ended by ${signal}. Nothing was written.`)),
    )
  }
  return controller.signal
}
