import { existsSync } from 'node:fs'
import { link, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { printable } from '../lib/printable.ts'
import { exportPeople } from '../people/export-people.ts'
import { CommandError, type Invocation } from './command.ts'
import { withExistingDatabase } from './open.ts'
import { usageError } from './parse.ts'

export async function run({ args: [file], flag, text, json, terminal }: Invocation): Promise<undefined> {
  if (file === undefined && json) throw usageError('--json prints to stdout, where the people go: name a FILE')
  const format = text('format') === 'csv' ? 'csv' : 'ndjson'
  const withoutHashes = flag('without-hashes')
  const progress = terminal.progress('Exporting')
  const onProgress = (written: number) => progress.update(`${written.toLocaleString('en')} people`)
  const people = await withExistingDatabase(terminal, (database) => {
    const work = (write: (text: string) => Promise<void>) =>
      exportPeople(database, write, { format, withoutHashes, onProgress })
    // The callback of each write gets the error of a reader that has gone.
    if (file === undefined) process.stdout.on('error', () => {})
    return file === undefined ? work(toStdout) : toFile(file, flag('force'), work)
  }).finally(() => progress.end())
  if (json) terminal.printJson({ file, format, people, withoutHashes })
  else if (file !== undefined) {
    const content = withoutHashes ? 'without password hashes' : 'with their password hashes: keep the file secret'
    terminal.print(printable(`Exported ${people.toLocaleString('en')} people to ${file}, ${content}.`))
  }
}

/** Writes to stdout, and waits for its reader. */
async function toStdout(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
  }).catch((error) => {
    throw new CommandError(`Not everybody was exported: ${error.message}`)
  })
}

/** Writes a file that only its owner can read. It gets its name when it is complete. */
async function toFile<T>(
  file: string,
  replaces: boolean,
  work: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const target = resolve(file)
  if (!replaces && existsSync(target)) throw alreadyThere(target)
  const folder = await mkdtemp(join(dirname(target), '.portico-export-')).catch((error) => {
    throw new CommandError(`The file cannot be written: ${error.message}`)
  })
  try {
    const temporary = join(folder, 'people')
    const handle = await open(temporary, 'wx', 0o600)
    let result: T
    try {
      result = await work(async (text) => void (await handle.appendFile(text)))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await publish(temporary, target, replaces)
    return result
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function publish(temporary: string, target: string, replaces: boolean): Promise<void> {
  if (replaces) return rename(temporary, target)
  // Unlike `rename`, `link` does not replace a file.
  await link(temporary, target).catch((error) => {
    throw error.code === 'EEXIST'
      ? alreadyThere(target)
      : new CommandError(`The file cannot be written: ${error.message}`)
  })
}

function alreadyThere(target: string): CommandError {
  return new CommandError(`${printable(target)} exists. --force replaces it.`)
}
