import type { Schema } from './operations.ts'

/** The type of a value, such as "string (uuid) or null" or "list of objects". */
export function typeInWords({ type = 'any', format, items }: Schema): string {
  if (items) return `list of ${[items.type ?? 'value'].flat()[0]}s`
  return [type]
    .flat()
    .map((name) => (format && name !== 'null' ? `${name} (${format})` : name))
    .join(' or ')
}

/** The rules of a value beside its type. Literal values are in back-quotes. */
export function rulesInWords(schema: Schema): string[] {
  const rules = [
    schema.enum && `one of ${schema.enum.map(quoted).join(', ')}`,
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minimum, schema.maximum),
    range(schema.minItems, schema.maxItems, 'entry', 'entries'),
    schema['x-pattern-words'],
    schema['x-file'] && `a file of type ${schema['x-file']}`,
    NORMALISATIONS[schema['x-normalise'] ?? ''],
    schema['x-instead-of'] && `instead of ${quoted(schema['x-instead-of'])}`,
    schema.default !== undefined && `default ${quoted(String(schema.default))}`,
  ]
  return rules.filter((rule) => typeof rule === 'string')
}

// The description of an e-mail address says how it is normalised.
const NORMALISATIONS: Record<string, string> = {
  trim: 'trimmed',
  code: 'spaces and hyphens are ignored',
  nfc: 'compared in Unicode NFC',
}

function range(min: number | undefined, max: number | undefined, unit = '', units = unit && `${unit}s`) {
  const counted = (count: number) => `${count} ${count === 1 ? unit : units}`.trim()
  if (min !== undefined && max !== undefined) return `${min} to ${counted(max)}`
  if (min !== undefined) return `at least ${counted(min)}`
  return max !== undefined && `at most ${counted(max)}`
}

const quoted = (text: string) => `\`${text}\``
