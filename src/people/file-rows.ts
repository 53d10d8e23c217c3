import { open } from 'node:fs/promises'
import { csvRowsOf } from './csv.ts'
import { type ForeignRow, PersonFault } from './foreign-values.ts'
import { elementsOf } from './json-elements.ts'
import { linesOf } from './lines.ts'
import { chunksOf, decoded, FileFault, type Item } from './text-file.ts'

/** How the rows are in the file: CSV, one JSON object in each line, or JSON with one list or several named ones. */
export type Container = 'csv' | 'json-lines' | 'json-lists'

/** A row, or why it cannot be read. `list` is the name of its list in JSON. */
export interface Row extends Item<ForeignRow | PersonFault> {
  list: string
}

const PEEK_BYTES = 64 * 1024
const LISTS = /^\s*(?:\[|\{\s*"[^"\\]{1,100}"\s*:\s*\[)/

/** How the rows are in the file, by its first characters. */
export async function containerOf(path: string): Promise<Container> {
  const file = await open(path, 'r').catch((error) => {
    throw new FileFault(`The file cannot be read: ${error.message}`)
  })
  try {
    // A file is read more than once, which a pipe does not allow.
    if (!(await file.stat()).isFile()) throw new FileFault(`${path} is not a file.`)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PEEK_BYTES), 0, PEEK_BYTES, 0)
    const text = buffer
      .subarray(0, bytesRead)
      .toString()
      .replace(/^\ufeff/, '')
    if (LISTS.test(text)) return 'json-lists'
    return text.trimStart().startsWith('{') ? 'json-lines' : 'csv'
  } finally {
    await file.close()
  }
}

/** The rows of a file. `columns` are those of a CSV file without a header. */
export async function* rowsOf(
  path: string,
  container: Container,
  { columns, onRead }: { columns?: string[]; onRead?: (bytes: number) => void } = {},
): AsyncGenerator<Row> {
  const chunks = chunksOf(path, onRead)
  if (container === 'csv') yield* csvObjects(chunks, columns)
  else if (container === 'json-lists') {
    for await (const { line, list, value } of elementsOf(chunks)) yield { line, list, value: parsed(value) }
  } else {
    for await (const { line, value } of linesOf(chunks)) {
      if (value.some((byte) => byte > 0x20)) yield { line, list: '', value: parsed(value) }
    }
  }
}

async function* csvObjects(chunks: AsyncIterable<Buffer>, columns: string[] | undefined): AsyncGenerator<Row> {
  let names = columns
  for await (const { line, value } of csvRowsOf(chunks)) {
    if (!names) {
      names = headerOf(value, line)
      continue
    }
    yield { line, list: '', value: value ? objectOf(names, value, columns !== undefined) : notText() }
  }
}

function headerOf(cells: string[] | undefined, line: number): string[] {
  if (!cells) throw new FileFault(`The header in line ${line} is not UTF-8.`)
  const names = new Set<string>()
  const repeated = cells.find((name) => {
    if (names.has(name)) return true
    names.add(name)
    return false
  })
  if (repeated !== undefined) throw new FileFault(`The header has the column "${repeated}" twice.`)
  return cells
}

function objectOf(names: string[], cells: string[], mayDiffer: boolean): ForeignRow | PersonFault {
  if (!mayDiffer && cells.length !== names.length) {
    return new PersonFault(`the row has ${cells.length} cells, and the header has ${names.length}`)
  }
  // `fromEntries` defines properties, so that a column __proto__ is one like any other.
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
}

function parsed(bytes: Buffer): ForeignRow | PersonFault {
  const text = decoded(bytes)
  if (text === undefined) return notText()
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as ForeignRow)
      : new PersonFault('it is not a JSON object')
  } catch {
    return new PersonFault('it is not valid JSON')
  }
}

const notText = () => new PersonFault('it is not valid UTF-8')

/** The cells of the first row of a CSV file. */
export async function firstCells(path: string): Promise<string[]> {
  for await (const { value } of csvRowsOf(chunksOf(path))) return value ?? []
  return []
}
