import type { Column, Table } from '../database/schema.ts'
import { BackupError } from './backup-error.ts'

// A backup is NDJSON in UTF-8. Its lines are, in this order:
//
// 1. the header
// 2. for each table a line with its columns, followed by one array for each row
// 3. the end, with the number of rows of each table and the SHA-256 of all bytes before its line

export const FORMAT = 'portico-backup'
export const FORMAT_VERSION = 1

export interface Header {
  format: typeof FORMAT
  version: typeof FORMAT_VERSION
  /** The version of Portico that has written the file. */
  portico: string
  engine: 'sqlite' | 'postgres'
  /** The migrations that had run, in their order. */
  migrations: string[]
  createdAt: string
}

interface TableLine {
  table: string
  columns: string[]
  /** The columns whose values are bytes, in base64. */
  base64: string[]
}

export interface End {
  /** The number of rows of each table. */
  rows: Record<string, number>
  sha256: string
}

type Value = string | number | null | Uint8Array
export type Row = Value[]

export function tableLine({ name, columns }: Table): TableLine {
  const binary = columns.filter(({ type }) => type === 'binary')
  return { table: name, columns: columns.map(({ name }) => name), base64: binary.map(({ name }) => name) }
}

/** Returns a function that writes a row of the table as a line. */
export function rowEncoder({ columns }: Table): (row: Row) => string {
  const binary = columns.flatMap(({ type }, place) => (type === 'binary' ? [place] : []))
  if (binary.length === 0) return (row) => `${JSON.stringify(row)}\n`
  return (row) => {
    const copy: unknown[] = [...row]
    for (const place of binary) {
      const bytes = row[place]
      if (bytes instanceof Uint8Array) copy[place] = Buffer.from(bytes).toString('base64')
    }
    return `${JSON.stringify(copy)}\n`
  }
}

/** Reads a parsed line as a row of the table. Throws if a value has another type than its column. */
export function rowOf({ name, columns }: Table, line: unknown): Row {
  if (!Array.isArray(line) || line.length !== columns.length) {
    throw new BackupError(`A row of the table ${name} has the wrong number of values.`)
  }
  return columns.map((column, place) => checkedValue(name, column, line[place]))
}

function checkedValue(table: string, { name, type }: Column, value: unknown): Value {
  if (value === null) return null
  if (type === 'integer' && Number.isSafeInteger(value)) return value as number
  if (type === 'text' && typeof value === 'string') return value
  if (type === 'binary' && typeof value === 'string') {
    const bytes = Buffer.from(value, 'base64')
    if (bytes.toString('base64') === value) return bytes
  }
  throw new BackupError(`A value of ${table}.${name} has the wrong type.`)
}

// The texts of a header are printed, so they must not contain control characters.
const PLAIN_WORD = /^[\w.+:-]{1,100}$/

/** Reads a parsed first line. */
export function headerOf(line: unknown): Header {
  const { format, version, portico, engine, migrations, createdAt } = (line ?? {}) as Record<keyof Header, unknown>
  if (format !== FORMAT) throw new BackupError('The file is not a backup of Portico.')
  if (version !== FORMAT_VERSION) {
    throw new BackupError('A newer version of Portico is needed: the backup has another format than this one knows.')
  }
  const isHeader =
    isPlainWord(portico) &&
    (engine === 'sqlite' || engine === 'postgres') &&
    Array.isArray(migrations) &&
    migrations.every(isPlainWord) &&
    isPlainWord(createdAt)
  if (!isHeader) throw new BackupError('The header of the backup is broken.')
  return { format, version, portico, engine, migrations, createdAt }
}

function isPlainWord(value: unknown): value is string {
  return typeof value === 'string' && PLAIN_WORD.test(value)
}
