import { openClock } from '../database/clock.ts'
import { readSecret } from '../database/secrets.ts'
import { counted } from '../lib/counted.ts'
import { printable } from '../lib/printable.ts'
import { readFirebaseParameters } from '../people/firebase-parameters.ts'
import type { Format } from '../people/format-names.ts'
import { type ImportResult, importPeople } from '../people/import-people.ts'
import { openPeople } from '../people/read-people.ts'
import { MissingParameters } from '../people/systems.ts'
import { FileFault } from '../people/text-file.ts'
import { createSecretBox } from '../proofs/secret-box.ts'
import { CommandError, EXIT, type Invocation } from './command.ts'
import { withExistingDatabase } from './open.ts'
import { alignColumns } from './terminal.ts'

/** The lines that `--json` prints. All are printed without it. */
const MAX_JSON_LINES = 1000

interface ReportedLine {
  line: number
  isRefused: boolean
  reason: string
}

export async function run({ args: [path = ''], flag, text, json, terminal }: Invocation): Promise<number> {
  const isDryRun = flag('dry-run')
  const lines: ReportedLine[] = []
  let moreLines = 0
  const onLine = (line: number, isRefused: boolean, reason: string) => {
    if (!json) return terminal.note(`line ${line}: ${isRefused ? 'refused, ' : ''}${reason}`)
    if (lines.length < MAX_JSON_LINES) lines.push({ line, isRefused, reason })
    else moreLines += 1
  }
  const progress = terminal.progress(isDryRun ? 'Checking' : 'Importing')
  const startedAtMs = performance.now()
  const { format, result } = await explained(
    withExistingDatabase(terminal, async (database, config) => {
      const parametersFile = text('firebase-hash-config')
      const firebase = parametersFile === undefined ? undefined : await readFirebaseParameters(parametersFile)
      const file = await openPeople(path, text('from') as Format | undefined)
      const secretBox = createSecretBox(await readSecret(database.query, 'encryption-key'), config.encryptionKey)
      const parts = { database, clock: await openClock(database), secretBox }
      const onProgress = (read: number, part: number) => progress.update(`${read.toLocaleString('en')} people`, part)
      const options = { withRoles: flag('with-roles'), isDryRun, firebase, onLine, onProgress }
      return { format: file.format, result: await importPeople(parts, file, options) }
    }),
  ).finally(() => progress.end())
  const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10

  if (json) terminal.printJson({ file: path, format, isDryRun, ...result, seconds, lines, moreLines })
  else for (const line of summary(path, format, result, isDryRun, seconds)) terminal.print(line)
  return result.refused > 0 ? EXIT.failed : EXIT.ok
}

function summary(path: string, format: string, result: ImportResult, isDryRun: boolean, seconds: number): string[] {
  const number = (value: number) => value.toLocaleString('en')
  const { read, imported, alreadyHere, refused, withoutPassword, renamed, ownersAsMembers } = result
  const rows = [
    ['File', `${printable(path)} (${format}), ${number(read)} people`],
    [isDryRun ? 'Would import' : 'Imported', number(imported)],
    ['Already here', `${number(alreadyHere)}${alreadyHere > 0 ? ', unchanged' : ''}`],
    ['Refused', `${number(refused)}${refused > 0 ? ', named above' : ''}`],
    ...(withoutPassword > 0
      ? [['No password', `${number(withoutPassword)}: they choose one at /forgot-password`]]
      : []),
    ...(renamed > 0 ? [['Renamed', `${counted(renamed, 'username')} changed`]] : []),
    ...(ownersAsMembers > 0 ? [['Owners', `${number(ownersAsMembers)} came as members: see --with-roles`]] : []),
    ['Time', `${seconds} s`],
  ]
  return [...alignColumns(rows), ...(isDryRun ? ['Nothing was changed.'] : [])]
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof FileFault) throw new CommandError(printable(error.message))
    if (!(error instanceof MissingParameters)) throw error
    throw new CommandError(
      'The file has password hashes of Firebase. Give the hash parameters of the project with --firebase-hash-config.',
    )
  }
}
