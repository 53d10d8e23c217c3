import type { Command, Invocation } from './command.ts'
import { usageError } from './parse.ts'

const SCRIPTS: Record<string, (commands: readonly Command[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** Prints a script that completes commands, subcommands and options. Arguments are completed as file names. */
export async function run({ args: [shell = ''], commands, terminal }: Invocation): Promise<undefined> {
  const script = SCRIPTS[shell]
  if (!script) throw usageError(`SHELL must be one of ${Object.keys(SCRIPTS).join(', ')}, not "${shell}"`)
  terminal.print(script(commands))
}

/** The words that may follow each prefix: after '', after `mail`, and the options after each whole command. */
function wordsByPrefix(commands: readonly Command[]): Map<string, string[]> {
  const words = new Map<string, Set<string>>()
  const add = (prefix: string, word: string) => words.set(prefix, (words.get(prefix) ?? new Set()).add(word))
  for (const command of commands) {
    const [first = '', second] = command.name.split(' ')
    add('', first)
    if (second) add(first, second)
    for (const option of optionsOf(command)) add(command.name, option)
  }
  return new Map([...words].map(([prefix, set]) => [prefix, [...set]]))
}

function optionsOf({ options = {}, json }: Command): string[] {
  return [...Object.keys(options), ...(json ? ['json'] : []), 'help'].map((name) => `--${name}`)
}

function bashScript(commands: readonly Command[]): string {
  return `# Completion of portico for bash.
_portico() {
  local current="\${COMP_WORDS[COMP_CWORD]}" first="\${COMP_WORDS[1]:-}" second="\${COMP_WORDS[2]:-}" words=""
  local prefix=""
  if [ "$COMP_CWORD" -gt 1 ]; then prefix="$first"; fi
  if [ "$COMP_CWORD" -gt 2 ]; then
    case "$first $second" in
${pairCases(commands, (pair) => `      "${pair}") prefix="${pair}" ;;`)}
    esac
  fi
  case "$prefix" in
${[...wordsByPrefix(commands)].map(([prefix, words]) => `    "${prefix}") words="${words.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _portico portico`
}

function zshScript(commands: readonly Command[]): string {
  return `#compdef portico
# Completion of portico for zsh.
_portico() {
  local prefix=""
  if (( CURRENT > 2 )); then prefix="\${words[2]}"; fi
  if (( CURRENT > 3 )); then
    case "\${words[2]} \${words[3]}" in
${pairCases(commands, (pair) => `      "${pair}") prefix="${pair}" ;;`)}
    esac
  fi
  case "$prefix" in
${[...wordsByPrefix(commands)].map(([prefix, words]) => `    "${prefix}") compadd -- ${words.join(' ')} ;;`).join('\n')}
  esac
  _files
}
if [ "$funcstack[1]" = "_portico" ]; then _portico "$@"; else compdef _portico portico; fi`
}

function pairCases(commands: readonly Command[], line: (pair: string) => string): string {
  return commands.flatMap(({ name }) => (name.includes(' ') ? line(name) : [])).join('\n')
}

function fishScript(commands: readonly Command[]): string {
  const groups = new Set(commands.flatMap(({ name }) => (name.includes(' ') ? (name.split(' ')[0] ?? []) : [])))
  const lines = commands.flatMap((command) => {
    const [first = '', second] = command.name.split(' ')
    const seen = second
      ? `__fish_seen_subcommand_from ${first}; and __fish_seen_subcommand_from ${second}`
      : `__fish_seen_subcommand_from ${first}`
    const word = second
      ? `complete -c portico -n '__fish_seen_subcommand_from ${first}' -f -a ${second} -d ${quoted(command.summary)}`
      : `complete -c portico -n __fish_use_subcommand -f -a ${first} -d ${quoted(command.summary)}`
    return [
      word,
      ...optionsOf(command).map((option) => `complete -c portico -n '${seen}' -l ${option.replace('--', '')}`),
    ]
  })
  return [
    '# Completion of portico for fish.',
    ...[...groups].map((group) => `complete -c portico -n __fish_use_subcommand -f -a ${group}`),
    ...lines,
  ].join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`
}
