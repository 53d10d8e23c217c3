import { parseEnv } from 'node:util'

/** The settings of a `.env` file. */
export interface DotEnv {
  values: NodeJS.Dict<string>
  /** The line number of each name; the last one when a name occurs several times. */
  lines: Map<string, number>
  /** Messages with line numbers. They never contain values, which may be secrets. */
  faults: string[]
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const QUOTES = ['"', "'", '`']

/** Parses `.env` with `parseEnv` of Node. Node silently skips lines that it cannot parse; here they are faults. */
export function parseDotEnv(content: string): DotEnv {
  const text = content.replace(/^\uFEFF/, '')
  const lines = new Map<string, number>()
  const faults: string[] = []
  const rows = text.split('\n').map((row) => row.trim())
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index] ?? ''
    if (row === '' || row.startsWith('#')) continue
    const number = index + 1
    const equals = row.indexOf('=')
    const name = row
      .slice(0, Math.max(equals, 0))
      .replace(/^export\s/, '')
      .trim()
    if (equals < 0) faults.push(`line ${number} has no "=": a setting is written NAME=value`)
    else if (!NAME.test(name))
      faults.push(`line ${number} has no valid name before "=": a setting is written NAME=value`)
    if (!NAME.test(name)) continue
    if (lines.has(name)) faults.push(`line ${number} sets ${name} again, after line ${lines.get(name)}`)
    lines.set(name, number)
    const value = row.slice(equals + 1).trim()
    const last = lastRowOfValue(rows, index, value)
    // `parseEnv` ends an unquoted value at the first `#`. A comment after a value is meant as one if it follows a
    // space.
    if (quoteOf(value) === undefined && /[^\s]#/.test(value.replace(/\s#.*/, '')))
      faults.push(
        `line ${number} has a "#" in the value of ${name}: put the value in quotes, or a space before a comment`,
      )
    if (last === undefined) faults.push(`line ${number} opens a quote for ${name} that does not end the value`)
    else index = last
  }
  return { values: parseEnv(text), lines, faults }
}

/**
 * The index of the last row of a value: a quoted value may span rows. Undefined when the closing quote is missing or
 * misplaced.
 */
function lastRowOfValue(rows: string[], first: number, value: string): number | undefined {
  const quote = quoteOf(value)
  if (quote === undefined) return first
  let rest = value.slice(1)
  let index = first
  while (!rest.includes(quote)) {
    index += 1
    if (index === rows.length) return undefined
    rest = rows[index] ?? ''
  }
  const after = rest.slice(rest.indexOf(quote) + 1).trim()
  return after === '' || after.startsWith('#') ? index : undefined
}

function quoteOf(value: string): string | undefined {
  return QUOTES.find((mark) => value.startsWith(mark))
}
