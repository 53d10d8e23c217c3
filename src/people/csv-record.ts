import { asWritten, neutralised } from './csv.ts'
import { type ForeignRow, PersonFault } from './foreign-values.ts'
import { NESTED_COLUMNS } from './formats.ts'
import { RECORD_FIELDS } from './record.ts'

// A map, since the name of a column may be that of a property of every object.
const NESTED = new Map<string, string>(Object.entries(NESTED_COLUMNS))
const JSON_COLUMNS = ['socialAccounts', 'identities', 'unlinkedIdentities']
const FLAGS = ['emailVerified', 'hasChangedUsername']

/** The columns of the CSV file: the fields of a record, with a column for each nested one. */
export const CSV_COLUMNS = [
  ...RECORD_FIELDS.filter((name) => !['location', 'preferences', 'emailVerified', ...JSON_COLUMNS].includes(name)),
  ...Object.keys(NESTED_COLUMNS),
  ...JSON_COLUMNS,
]

/** The cells of a record, in the order of the columns. */
export function cellsOf(record: ForeignRow): string[] {
  return CSV_COLUMNS.map((name) => {
    const parent = NESTED.get(name)
    const value = parent ? (record[parent] as ForeignRow | undefined)?.[name] : record[name]
    if (value === undefined || value === null) return ''
    return neutralised(typeof value === 'string' ? value : JSON.stringify(value))
  })
}

/** The record of the cells of a row, by the names of their columns. An empty cell is a missing value. */
export function recordOfCells(cells: Record<string, string>): ForeignRow {
  const values: [string, unknown][] = []
  const nested = new Map<string, [string, unknown][]>()
  for (const [name, cell] of Object.entries(cells)) {
    if (cell === '') continue
    const parent = NESTED.get(name)
    if (!parent) values.push([name, valueIn(name, asWritten(cell))])
    else nested.set(parent, [...(nested.get(parent) ?? []), [name, asWritten(cell)]])
  }
  for (const [parent, entries] of nested) values.push([parent, Object.fromEntries(entries)])
  return Object.fromEntries(values)
}

function valueIn(name: string, text: string): unknown {
  if (FLAGS.includes(name)) {
    if (text !== 'true' && text !== 'false') throw new PersonFault(`${name} must be true or false`)
    return text === 'true'
  }
  if (name === 'registeredAgain') return Number(text)
  if (!JSON_COLUMNS.includes(name)) return text
  try {
    return JSON.parse(text)
  } catch {
    throw new PersonFault(`${name} is not valid JSON`)
  }
}
