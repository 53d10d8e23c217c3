import { createHash } from 'node:crypto'
import type { Table } from '../database/schema.ts'
import { type End, type Header, type Row, rowEncoder, tableLine } from './format.ts'

/** Rows in the order of the table's columns, some at a time. */
export type Batches = Iterable<Row[]> | AsyncIterable<Row[]>

/** Called after each batch with the table and the number of rows in the batch. */
type OnRows = (table: string, rows: number) => void

/** The lines of a backup, many in each chunk. */
export async function* encodeBackup(
  header: Header,
  tables: readonly Table[],
  rowsOf: (table: Table) => Batches,
  onRows: OnRows,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const chunkOf = (text: string) => {
    const chunk = Buffer.from(text)
    hash.update(chunk)
    return chunk
  }
  const end: End = { rows: {}, sha256: '' }
  yield chunkOf(`${JSON.stringify(header)}\n`)
  for (const table of tables) {
    yield chunkOf(`${JSON.stringify(tableLine(table))}\n`)
    const encode = rowEncoder(table)
    let count = 0
    for await (const rows of rowsOf(table)) {
      yield chunkOf(rows.map(encode).join(''))
      count += rows.length
      onRows(table.name, rows.length)
    }
    end.rows[table.name] = count
  }
  yield Buffer.from(`${JSON.stringify({ ...end, sha256: hash.digest('hex') })}\n`)
}
