import { createHash } from 'node:crypto'
import { type Table, tablesAfter } from '../database/schema.ts'
import { BackupError } from './backup-error.ts'
import { lastOf } from './contents.ts'
import { type Header, headerOf, type Row, rowOf, tableLine } from './format.ts'

// The longest rows are pictures and saved content, of less than a mebibyte.
const MAX_LINE_BYTES = 64 * 1024 * 1024
// No line has more values, except in a file that somebody has forged.
const MAX_VALUES = 1000
// A shorter line takes little memory with any content.
const MAX_UNCOUNTED_BYTES = 1024 * 1024
const NEWLINE = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c
// The bytes before a value: comma, [ and {.
const BEFORE_VALUES = new Set([0x2c, 0x5b, 0x7b])

export interface Contents {
  header: Header
  /** The number of rows of each table. */
  rows: Record<string, number>
}

/** Called with some rows of a table, in the order of the file. */
export type TakeRows = (table: Table, rows: Row[]) => unknown

/**
 * Reads a whole backup and checks everything in it: the header, the tables and columns, the type of every value, the
 * number of rows and the checksum. `take` gets rows before the end has been checked, so the caller must be able to undo
 * what it does with them.
 */
export async function decodeBackup(chunks: AsyncIterable<Buffer>, take: TakeRows): Promise<Contents> {
  const hash = createHash('sha256')
  const rows: Record<string, number> = {}
  let header: Header | undefined
  let known: Map<string, Table> | undefined
  let table: Table | undefined
  let isOver = false

  for await (const block of completeLines(chunks)) {
    let batch: Row[] = []
    let hashedTo = 0
    for (const { line, start } of linesOf(block)) {
      if (isOver) throw new BackupError('The backup goes on after its end.')
      if (!header || !known) {
        header = headerOf(line)
        known = new Map((await tablesAfter(lastOf(header.migrations))).map((each) => [each.name, each]))
      } else if (Array.isArray(line)) {
        if (!table) throw new BackupError('A row of the backup belongs to no table.')
        batch.push(rowOf(table, line))
      } else if (isEnd(line)) {
        await flush()
        hash.update(block.subarray(0, start))
        hashedTo = block.length
        if (line.sha256 !== hash.digest('hex')) throw new BackupError('The checksum of the backup is wrong.')
        if (!isSame(line.rows, rows)) throw new BackupError('The backup has other numbers of rows than its end states.')
        isOver = true
      } else {
        await flush()
        table = tableOf(known, line)
        if (Object.hasOwn(rows, table.name)) throw new BackupError(`The backup has the table ${table.name} twice.`)
        rows[table.name] = 0
      }
    }
    await flush()
    if (!isOver) hash.update(block.subarray(hashedTo))

    async function flush() {
      if (!table || batch.length === 0) return
      rows[table.name] = (rows[table.name] ?? 0) + batch.length
      const taken = batch
      batch = []
      await take(table, taken)
    }
  }
  if (!header || !isOver) throw new BackupError('The backup is cut short: it has no end.')
  return { header, rows }
}

/** Blocks of whole lines. A line that spans many chunks is copied once. */
async function* completeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = []
  let pendingBytes = 0
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (end > 0) {
      yield Buffer.concat([...pending, chunk.subarray(0, end)])
      pending = []
      pendingBytes = 0
    }
    pending.push(chunk.subarray(end))
    pendingBytes += chunk.length - end
    if (pendingBytes > MAX_LINE_BYTES) throw new BackupError('A line of the backup is too long.')
  }
  if (pendingBytes > 0) throw new BackupError('The backup is cut short: its last line has no end.')
}

function* linesOf(block: Buffer): Generator<{ line: unknown; start: number }> {
  for (let start = 0, end = 0; start < block.length; start = end + 1) {
    end = block.indexOf(NEWLINE, start)
    if (end - start > MAX_UNCOUNTED_BYTES) checkCount(block.subarray(start, end))
    yield { line: parse(block.toString('utf8', start, end)), start }
  }
}

/** Refuses a line of very many values before it is parsed: each `[]` of two bytes would take 100 bytes of memory. */
function checkCount(line: Buffer): void {
  let values = 0
  let isInText = false
  for (let at = 0; at < line.length; at++) {
    const byte = line[at] ?? 0
    if (byte === BACKSLASH) at++
    else if (byte === QUOTE) isInText = !isInText
    else if (!isInText && BEFORE_VALUES.has(byte)) values++
    if (values > MAX_VALUES) throw new BackupError('A line of the backup has too many values.')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BackupError('A line of the backup is not JSON.')
  }
}

function isEnd(line: unknown): line is { rows: unknown; sha256: unknown } {
  return typeof line === 'object' && line !== null && 'sha256' in line
}

/** The table that a line begins. Its name and columns must be those of the schema. */
function tableOf(known: Map<string, Table>, line: unknown): Table {
  const name = (line as { table?: unknown } | null)?.table
  const table = typeof name === 'string' ? known.get(name) : undefined
  if (!table) throw new BackupError('The backup has a table that the schema does not have.')
  if (!isSame(line, tableLine(table))) {
    throw new BackupError(`The table ${table.name} of the backup has other columns than the schema.`)
  }
  return table
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
