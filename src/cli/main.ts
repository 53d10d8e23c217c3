import { messageFor } from '../process/start-failure.ts'
import { type Command, CommandError, EXIT } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpFor, usageOf } from './help.ts'
import { findCommand, parseCommand, unknownCommand } from './parse.ts'
import { createTerminal, type Terminal } from './terminal.ts'

/** Runs the command that the words name, and sets the exit code of the process. */
export async function main(words: string[]): Promise<void> {
  const terminal = createTerminal(process.stdout, process.stderr)
  process.stdout.on('error', (error) => reportLostOutput(error, terminal))
  const isJson = words.includes('--json')
  let command: Command | undefined
  try {
    const found = findCommand(COMMANDS, withoutShortcut(words))
    if (!found) throw unknownCommand(COMMANDS, words)
    command = found.command
    const code = await runCommand(command, found.rest, terminal)
    process.exitCode ||= code
  } catch (error) {
    const message = error instanceof CommandError ? error.message : messageFor(error as Error)
    const isUsage = error instanceof CommandError && error.exitCode === EXIT.usage
    if (isJson) terminal.note(JSON.stringify({ error: message }))
    else terminal.note(isUsage && command ? `${message}\nUsage: ${usageOf(command)}` : message)
    process.exit(error instanceof CommandError ? error.exitCode : EXIT.failed)
  }
}

/** A reader such as `head` may end before the command: that is no failure. A full disk is one, and is named once. */
function reportLostOutput({ code, message }: NodeJS.ErrnoException, terminal: Terminal): void {
  if (code === 'EPIPE' || process.exitCode) return
  process.exitCode = EXIT.failed
  terminal.note(`The output cannot be written: ${message}`)
}

async function runCommand(command: Command, words: string[], terminal: Terminal): Promise<number> {
  const { args, values } = parseCommand(command, words)
  if (values.help) {
    terminal.print(helpFor(command, terminal))
    return EXIT.ok
  }
  const run = await command.load()
  const code = await run({
    args,
    flag: (name) => values[name] === true,
    text: (name) => values[name] as string | undefined,
    json: values.json === true,
    terminal,
    commands: COMMANDS,
  })
  return code ?? EXIT.ok
}

/** The words with the command that `--version`, `--help`, no words, or `--help` after the first of two words mean. */
function withoutShortcut(words: string[]): string[] {
  const [first = '--help', second, ...rest] = words
  if (first === '--version' || first === '-v') return ['version', ...words.slice(1)]
  if (isHelp(first)) return ['help', ...words.slice(1)]
  return isHelp(second) && !findCommand(COMMANDS, [first]) ? ['help', first, ...rest] : words
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h'
}
