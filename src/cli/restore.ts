import { type BackupFile, openBackup } from '../backup/backup-file.ts'
import { type Checked, checkBackup, restore } from '../backup/restore.ts'
import { loadConfig } from '../config/config.ts'
import { printable } from '../lib/printable.ts'
import { explained, size, steps } from './backup-output.ts'
import { CommandError, type Invocation } from './command.ts'
import { commandLog } from './open.ts'
import { givenPassphrase } from './passphrase.ts'
import { alignColumns } from './terminal.ts'

export async function run({ args: [file = ''], flag, text, json, terminal }: Invocation): Promise<undefined> {
  const { database, encryptionKey } = loadConfig()
  const backup = await explained(openBackup(file))
  try {
    const passphraseFile = text('passphrase-file')
    // An attacker who can replace the file, but does not know the passphrase, could otherwise put in another backup.
    if (passphraseFile !== undefined && !backup.isEncrypted) {
      throw new CommandError('The backup is not encrypted. If it should be, somebody has replaced it.')
    }
    const passphrase = backup.isEncrypted ? await givenPassphrase(terminal, passphraseFile) : undefined
    const { onProgress, end } = steps(terminal)
    const startedAtMs = performance.now()
    const isDryRun = flag('dry-run')
    const checked = await explained(work()).finally(end)
    const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10

    if (json) terminal.printJson({ file, ...resultOf(backup, checked), isRestored: !isDryRun, seconds })
    else for (const line of summary(file, backup, checked, isDryRun, seconds)) terminal.print(line)
    if (checked.unreadableApps > 0) terminal.note(aboutApps(checked.unreadableApps))

    async function work(): Promise<Checked> {
      if (passphrase !== undefined) await backup.unlock(passphrase)
      const contents = await checkBackup(backup, encryptionKey, onProgress)
      if (!isDryRun) await restore(database, backup, contents, commandLog(terminal), onProgress)
      return contents
    }
  } finally {
    await backup.close()
  }
}

function aboutApps(count: number): string {
  const apps = count === 1 ? '1 authenticator app needs' : `${count} authenticator apps need`
  return `${apps} the ENCRYPTION_KEY that the service of the backup had. Set it before the service starts.`
}

function resultOf({ bytes, isEncrypted }: BackupFile, { header, rows, unreadableApps }: Checked) {
  const { createdAt, portico, engine } = header
  const counts = Object.values(rows)
  const total = counts.reduce((sum, count) => sum + count, 0)
  return { createdAt, portico, engine, tables: counts.length, rows: total, bytes, isEncrypted, unreadableApps }
}

function summary(file: string, backup: BackupFile, checked: Checked, isDryRun: boolean, seconds: number): string[] {
  const { createdAt, portico, engine, tables, rows, bytes, isEncrypted } = resultOf(backup, checked)
  const verb = isDryRun ? 'Checked' : 'Restored'
  return [
    ...alignColumns([
      [verb, printable(file)],
      ['Made', `${createdAt} by Portico ${portico} on ${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`],
      ['Content', `${rows.toLocaleString('en')} rows of ${tables} tables`],
      ['Size', `${size(bytes)}, ${isEncrypted ? 'encrypted' : 'not encrypted'}`],
      ['Time', `${seconds} s`],
    ]),
    isDryRun
      ? 'The backup is complete. No database was opened.'
      : 'Start the service with the same BASE_URL, and everybody is still signed in.',
  ]
}
