import { version } from '../lib/version.ts'
import type { Command, Invocation, Option } from './command.ts'
import { namedCommands } from './parse.ts'
import { alignColumns, type Terminal, wrap } from './terminal.ts'

const MAX_WIDTH = 100
const INDENT = '  '

export async function run({ args, commands, json, terminal }: Invocation): Promise<undefined> {
  const named = args.length > 0 ? namedCommands(commands, args) : commands
  const [first] = named
  // JSON has no functions: `load` is left out.
  if (json) terminal.printJson({ commands: named })
  else terminal.print(first && named.length === 1 ? helpFor(first, terminal) : overview(named, terminal))
}

/** The list of commands. */
function overview(commands: readonly Command[], terminal: Terminal): string {
  const rows = commands.map((command) => [[command.name, ...(command.args ?? [])].join(' '), command.summary])
  return [
    `Portico ${version}: accounts and public pages from one server`,
    '',
    heading('Usage', terminal),
    `${INDENT}portico COMMAND [options]`,
    '',
    heading('Commands', terminal),
    ...alignColumns(rows).map((line) => INDENT + line),
    '',
    '"portico COMMAND --help" describes a command. Commands read the settings from the environment and from .env in the',
    'working directory, as the server does. Exit codes: 0 success, 1 failure or a finding, 2 wrong arguments.',
  ].join('\n')
}

/** The help of one command. */
export function helpFor(command: Command, terminal: Terminal): string {
  const width = Math.min(terminal.columns, MAX_WIDTH)
  const { summary, details = [], examples = [] } = command
  const options = optionRows(command)
  return [
    `${summary}.`,
    '',
    heading('Usage', terminal),
    INDENT + usageOf(command),
    ...details.flatMap((paragraph) => ['', ...wrap(paragraph, width)]),
    ...(options.length > 0
      ? ['', heading('Options', terminal), ...alignColumns(options).map((line) => INDENT + line)]
      : []),
    ...(examples.length > 0
      ? ['', heading('Examples', terminal), ...alignColumns(examples).map((line) => INDENT + line)]
      : []),
  ].join('\n')
}

export function usageOf({ name, args = [], options, json }: Command): string {
  return ['portico', name, ...args, ...(options || json ? ['[options]'] : [])].join(' ')
}

function optionRows({ options = {}, json }: Command): string[][] {
  return [
    ...Object.entries(options).map(([name, option]) => [flagOf(name, option), describe(option)]),
    ...(json ? [['--json', 'print the result as JSON']] : []),
    ['-h, --help', 'print this help'],
  ]
}

function flagOf(name: string, { type, value, short }: Option): string {
  return `${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ` ${value ?? 'VALUE'}` : ''}`
}

function describe({ description, choices }: Option): string {
  return choices ? `${description}: ${choices.join(', ')}` : description
}

function heading(text: string, terminal: Terminal): string {
  return terminal.paint('bold', text)
}
