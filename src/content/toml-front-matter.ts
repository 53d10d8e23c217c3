import type { TomlTable, TomlValue } from 'smol-toml'
import { ContentFault } from './fault.ts'

const FRONT_MATTER = /^\+\+\+[ \t]*\r?\n((?:[\s\S]*?\r?\n)??)\+\+\+[ \t]*(?=\r?\n|$)/
const BEGIN = /^\+\+\+[ \t]*\r?\n/

/**
 * Rewrites front matter in TOML (between two lines of `+++`) to YAML. Each field keeps its line, so the faults of all
 * fields name the lines of the file. Other texts are returned unchanged. The parser is loaded for the first such file.
 */
export async function withYamlFrontMatter(file: string, text: string): Promise<string> {
  if (!BEGIN.test(text)) return text
  const [head, toml = ''] = FRONT_MATTER.exec(text) ?? []
  if (head === undefined)
    throw new ContentFault(file, 1, 'the front matter has no end: a line of "+++" is missing below it')
  return `---\n${asYaml(await parse(file, toml), toml)}---${text.slice(head.length)}`
}

async function parse(file: string, toml: string): Promise<TomlTable> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return parse(toml)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The message continues with an excerpt of the file.
    const [reason = ''] = error.message.split('\n', 1)
    throw new ContentFault(file, error.line + 1, reason)
  }
}

/**
 * One line of `"name": value` for each field, at its line of the TOML. A value in JSON is also YAML (YAML 1.2, 1.3).
 */
function asYaml(table: TomlTable, toml: string): string {
  const source = toml.split('\n')
  const beginnings = linesByName(source)
  const lines: string[] = source.slice(0, -1).map(() => '')
  let next = 0
  for (const [name, value] of Object.entries(table)) {
    const at = beginnings.get(name)?.find((line) => line >= next) ?? next
    lines[at] = `${JSON.stringify(name)}: ${JSON.stringify(value, asText)}`
    next = at + 1
  }
  return lines.map((line) => `${line ?? ''}\n`).join('')
}

/** The lines that begin a field or a table, by its name: `name = …`, `"name" = …`, `name.part = …` or `[name]`. */
function linesByName(source: string[]): Map<string, number[]> {
  const lines = new Map<string, number[]>()
  for (const [number, line] of source.entries()) {
    const start = line.trimStart().replace(/^\[{1,2}[ \t]*/, '')
    const [, double, single, bare] = /^(?:"([^"]*)"|'([^']*)'|([^\s=.\]"']+))[ \t]*[=.\]]/.exec(start) ?? []
    const name = double ?? single ?? bare
    if (name === undefined) continue
    const known = lines.get(name)
    if (known) known.push(number)
    else lines.set(name, [number])
  }
  return lines
}

/** JSON has no integers of 64 bits. Dates are texts already, by their `toJSON`. */
function asText(_name: string, value: TomlValue): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
