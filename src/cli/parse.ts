import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { SETTING_DESCRIPTIONS } from '../config/setting-descriptions.ts'
import { nearest } from '../lib/nearest.ts'
import { type Command, CommandError, EXIT } from './command.ts'

/** The command that the first words name, and the remaining words. Undefined if they name none. */
export function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; rest: string[] } | undefined {
  for (const count of [2, 1]) {
    const name = words.slice(0, count).join(' ')
    const command = commands.find((command) => command.name === name)
    if (command) return { command, rest: words.slice(count) }
  }
  return undefined
}

/** The command that the words name, or all commands that begin with a word, such as `mail`. */
export function namedCommands(commands: readonly Command[], words: readonly string[]): Command[] {
  const found = findCommand(commands, words)
  if (found) return [found.command]
  const group = words.length === 1 ? groupOf(commands, words) : []
  if (group.length === 0) throw unknownCommand(commands, words)
  return group
}

function groupOf(commands: readonly Command[], [first]: readonly string[]): Command[] {
  return commands.filter(({ name }) => name.startsWith(`${first} `))
}

/** The error for words that name no command, with the nearest command. */
export function unknownCommand(commands: readonly Command[], words: readonly string[]): CommandError {
  const [first = '', second] = words
  const group = groupOf(commands, words).map(({ name }) => name)
  if (group.length > 0) {
    if (!second) return usageError(`"${first}" needs one more word: ${group.join(', ')}`)
    const likely = nearest(`${first} ${second}`, group)
    const hint = likely ? `Did you mean "${likely}"?` : `There are ${group.join(', ')}.`
    return usageError(`There is no command "${first} ${second}". ${hint}`)
  }
  const suggestion = nearest(
    first,
    commands.map(({ name }) => name.split(' ')[0] ?? ''),
  )
  return usageError(
    `There is no command "${first}". ${suggestion ? `Did you mean "${suggestion}"? ` : ''}"portico --help" lists all.`,
  )
}

export interface Parsed {
  args: string[]
  values: Record<string, string | boolean | undefined>
}

/** Parses the words after the name of a command. */
export function parseCommand(command: Command, words: string[]): Parsed {
  const { options = {}, json } = command
  const config: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } }
  if (json) config.json = { type: 'boolean' }
  for (const [name, { type, short }] of Object.entries(options)) config[name] = short ? { type, short } : { type }
  const { values, positionals } = parse(words, config)
  if (!values.help) checkCount(command, positionals)
  for (const [name, { choices }] of Object.entries(options)) {
    const value = values[name]
    if (choices && typeof value === 'string' && !choices.includes(value)) {
      throw usageError(`--${name} must be one of ${choices.join(', ')}`)
    }
  }
  return { args: positionals, values: values as Parsed['values'] }
}

function parse(words: string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args: words, options, allowPositionals: true })
  } catch (error) {
    // The messages of Node are sentences for users, such as "Unknown option '--x'". The rest is about positionals.
    const [sentence = ''] = String((error as Error).message).split('. To specify a positional')
    const setting = settingFor(sentence)
    throw usageError(setting ? `${sentence}: set ${setting}, in the environment or in .env` : sentence)
  }
}

/** The setting for an option that does not exist, such as PORT for "Unknown option '--port'". */
function settingFor(message: string): string | undefined {
  const [, option = ''] = /^Unknown option '--([^']*)'/.exec(message) ?? []
  const name = option.toUpperCase().replaceAll('-', '_')
  return Object.values(SETTING_DESCRIPTIONS)
    .flatMap((settings) => settings.flatMap(({ names }) => names))
    .find((known) => known === name)
}

function checkCount({ name, args = [] }: Command, given: string[]): void {
  const required = args.filter((arg) => !arg.startsWith('['))
  const missing = required[given.length]
  if (missing) throw usageError(`"portico ${name}" needs ${missing.replace('...', '')}`)
  const isUnlimited = args.some((arg) => arg.includes('...'))
  if (!isUnlimited && given.length > args.length) throw usageError(`Unexpected argument "${given[args.length]}"`)
}

export function usageError(message: string): CommandError {
  return new CommandError(message, EXIT.usage)
}
