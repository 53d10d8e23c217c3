import { messageFor } from '../process/start-failure.ts'
import { type Command, CommandError, EXIT } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpFor, overview, usageOf } from './help.ts'
import { findCommand, parseCommand, unknownCommand } from './parse.ts'
import { createTerminal, type Terminal } from './terminal.ts'

/** Runs the command that the words name, and sets the exit code of the process. */
export async function main(words: string[]): Promise<void> {
  const terminal = createTerminal(process.stdout, process.stderr)
  const isJson = words.includes('--json')
  let command: Command | undefined
  try {
    const [first] = words
    if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
      terminal.print(helpAbout(words.slice(1), terminal))
      return
    }
    const found = findCommand(COMMANDS, first === '--version' || first === '-v' ? ['version'] : words)
    if (!found) throw unknownCommand(COMMANDS, words)
    command = found.command
    process.exitCode = await runCommand(command, found.rest, terminal)
  } catch (error) {
    const message = error instanceof CommandError ? error.message : messageFor(error as Error)
    const isUsage = error instanceof CommandError && error.exitCode === EXIT.usage
    if (isJson) terminal.note(JSON.stringify({ error: message }))
    else terminal.note(isUsage && command ? `${message}\nUsage: ${usageOf(command)}` : message)
    process.exit(error instanceof CommandError ? error.exitCode : EXIT.failed)
  }
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

function helpAbout(words: string[], terminal: Terminal): string {
  if (words.length === 0) return overview(COMMANDS, terminal)
  const found = findCommand(COMMANDS, words)
  if (!found) throw unknownCommand(COMMANDS, words)
  return helpFor(found.command, terminal)
}
