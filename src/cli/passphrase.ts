import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { CommandError } from './command.ts'
import { usageError } from './parse.ts'
import type { Terminal } from './terminal.ts'

const MIN_LENGTH = 8
const MAX_LENGTH = 1024

/** A new passphrase: the first line of the file, or what is typed twice. */
export async function newPassphrase(terminal: Terminal, file: string | undefined): Promise<string> {
  const passphrase = file === undefined ? await ask(terminal, 'Passphrase: ') : readPassphrase(file)
  if (passphrase.length < MIN_LENGTH) throw new CommandError(`The passphrase needs ${MIN_LENGTH} characters at least.`)
  if (file === undefined && (await ask(terminal, 'The same again: ')) !== passphrase) {
    throw new CommandError('The two passphrases differ. Nothing was written.')
  }
  return passphrase
}

/** The passphrase of an existing backup. */
export async function givenPassphrase(terminal: Terminal, file: string | undefined): Promise<string> {
  return file === undefined ? ask(terminal, 'Passphrase of the backup: ') : readPassphrase(file)
}

function readPassphrase(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(`The passphrase cannot be read: ${(error as Error).message}`)
  }
  const [line = ''] = text.split(/\r?\n/, 1)
  if (line.length > MAX_LENGTH) throw new CommandError(`A passphrase has at most ${MAX_LENGTH} characters.`)
  return line
}

/** Asks a question on the terminal. The typed characters are not shown. */
async function ask(terminal: Terminal, question: string): Promise<string> {
  if (!terminal.isInteractive) throw usageError('Without a terminal, the passphrase must be in --passphrase-file FILE')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // From here on the terminal shows nothing that is typed. So the question comes after it.
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write(question)
  try {
    return await lines.question('')
  } catch {
    throw new CommandError('No passphrase was given.')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
