import { linesOf } from './lines.ts'
import { decoded, FileFault, type Item, MAX_ITEM_BYTES, tooLong } from './text-file.ts'

/** The cells of a row. Undefined if the row is not UTF-8. */
export type CsvRow = Item<string[] | undefined>

/**
 * The rows of a CSV file (RFC 4180), of which each ends with LF or CRLF. A quotation mark has a meaning at the
 * beginning of a cell and inside of a cell that began with one. Elsewhere it is text, as `firebase auth:export` writes
 * it.
 */
export async function* csvRowsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<CsvRow> {
  let row: { line: number; cells: string[]; open: string[] | undefined; length: number; isText: boolean } | undefined
  for await (const { line, value } of linesOf(chunks)) {
    if (!row && (value.length === 0 || (value.length === 1 && value[0] === 0x0d))) continue
    row ??= { line, cells: [], open: undefined, length: 0, isText: true }
    row.length += value.length + 1
    if (row.length > MAX_ITEM_BYTES) throw tooLong(row.line)
    const text = decoded(value)
    if (text === undefined) row.isText = false
    // A line that is not UTF-8 may still open or close a cell, so that the next row is found.
    row.open = readCells(text ?? value.toString('latin1'), row.cells, row.open)
    if (row.open) continue
    yield { line: row.line, value: row.isText ? row.cells : undefined }
    row = undefined
  }
  if (row) throw new FileFault(`The row in line ${row.line} has a quotation mark without its end.`)
}

/**
 * Appends the cells of a line to `cells`. `open` has the earlier lines of a cell in quotation marks. Returns the parts
 * of the cell that is still open at the end of the line.
 */
function readCells(text: string, cells: string[], open: string[] | undefined): string[] | undefined {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text
  let at = 0
  let parts = open
  for (;;) {
    if (parts === undefined && line[at] !== '"') {
      const comma = line.indexOf(',', at)
      cells.push(line.slice(at, comma < 0 ? undefined : comma))
      if (comma < 0) return undefined
      at = comma + 1
      continue
    }
    if (parts === undefined) {
      parts = []
      at += 1
    }
    const quote = line.indexOf('"', at)
    if (quote < 0) {
      // The line break belongs to the cell.
      parts.push(text.slice(at), '\n')
      return parts
    }
    parts.push(line.slice(at, quote))
    at = quote + 1
    if (line[at] === '"') {
      parts.push('"')
      at += 1
      continue
    }
    const comma = line.indexOf(',', at)
    // Characters after the closing quotation mark violate RFC 4180, and are kept as text.
    parts.push(line.slice(at, comma < 0 ? undefined : comma))
    cells.push(parts.join(''))
    parts = undefined
    if (comma < 0) return undefined
    at = comma + 1
  }
}

/** A row as text, with its line end. Cells that need it are in quotation marks. */
export function csvText(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}

// Spreadsheet programs run a cell that begins with one of these as a formula
// (https://owasp.org/www-community/attacks/CSV_Injection). Some ignore apostrophes and full-width forms before it.
const RUNS = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/
const NEUTRALISED = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** The cell with an apostrophe before what a spreadsheet program would run. `asWritten` undoes exactly this. */
export function neutralised(cell: string): string {
  return RUNS.test(cell) ? `'${cell}` : cell
}

export function asWritten(cell: string): string {
  return NEUTRALISED.test(cell) ? cell.slice(1) : cell
}
