import type { Terminal } from './terminal.ts'

/** A command of `portico`, such as `backup` or `mail list`. */
export interface Command {
  /** The words after `portico`. */
  name: string
  /** One line, without a full stop, for the list of commands. */
  summary: string
  /** Names for the help: `FILE` is required, `[FOLDER]` optional, and `ID...` stands for one or more. */
  args?: readonly string[]
  options?: Record<string, Option>
  /** Whether the command has `--json`. */
  json?: boolean
  /** Paragraphs of `--help` after the summary. */
  details?: readonly string[]
  /** Commands with a sentence that says what they do. */
  examples?: readonly (readonly [command: string, effect: string])[]
  /** Imports the implementation. The list of commands imports none, so that `serve` loads no other command. */
  load(): Promise<Run>
}

export interface Option {
  type: 'string' | 'boolean'
  description: string
  /** The name of the value in the help, such as `FILE`. */
  value?: string
  short?: string
  /** The allowed values. */
  choices?: readonly string[]
}

/** Runs a command. Resolves with its exit code; undefined is EXIT.ok. */
type Run = (invocation: Invocation) => Promise<number | undefined>

export interface Invocation {
  /** The arguments that are not options. Their number was checked. */
  args: string[]
  /** Whether a boolean option was given. */
  flag(name: string): boolean
  /** The value of a string option. */
  text(name: string): string | undefined
  /** Whether `--json` was given: the result goes to stdout as one JSON value, and nothing else does. */
  json: boolean
  terminal: Terminal
  /** All commands, for the completion. */
  commands: readonly Command[]
}

/** The exit codes of every command. */
export const EXIT = {
  ok: 0,
  /** The command failed, or found something that must be mended. */
  failed: 1,
  /** The arguments are wrong. The command did nothing. */
  usage: 2,
} as const

/** An error whose message is complete for the operator: it is printed without a stack. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}
