import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { before, describe, it } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { BackupError } from '../../src/backup/backup-error.ts'
import { openBackup } from '../../src/backup/backup-file.ts'
import { tablesInBackup } from '../../src/backup/contents.ts'
import { encodeBackup } from '../../src/backup/encode.ts'
import { FORMAT, FORMAT_VERSION, type Header, type Row } from '../../src/backup/format.ts'
import { compress, encryptWith } from '../../src/backup/layers.ts'
import { MIGRATION_NAMES } from '../../src/database/migrate.ts'
import type { Table } from '../../src/database/schema.ts'
import { suiteCleanUp, temporaryFolder } from '../support/clean-up.ts'

const HEADER: Header = {
  format: FORMAT,
  version: FORMAT_VERSION,
  portico: '0.1.0',
  engine: 'sqlite',
  migrations: [...MIGRATION_NAMES],
  createdAt: '2026-11-16T12:00:00.000Z',
}
const PASSPHRASE = 'correct horse battery'
const ROWS_PER_TABLE = 3

const rowOf = ({ columns }: Table, number: number): Row =>
  columns.map(
    ({ name, type }) => ({ text: `${name} ä ${number}`, integer: number, binary: Buffer.alloc(99, number) })[type],
  )

const unheard = () => {}

/** A copy in which one bit differs. */
function flipped(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[place] = (copy[place] ?? 0) ^ (1 << (place % 8))
  return copy
}

/** A few bits of a Zstandard block have no effect on its content (RFC 8878, section 4: padding of bit streams). */
function isSameWhenDecompressed(bytes: Buffer, original: Buffer): boolean {
  try {
    return zstdDecompressSync(bytes).equals(original)
  } catch {
    return false
  }
}

describe('a backup file', () => {
  const suite = suiteCleanUp()
  const files: Record<'plain' | 'compressed' | 'encrypted', Buffer> = {
    plain: Buffer.of(),
    compressed: Buffer.of(),
    encrypted: Buffer.of(),
  }
  let file: string
  let lines: string[]
  let expectedRows: number

  before(async () => {
    file = join(await temporaryFolder(suite), 'a.backup')
    const tables = await tablesInBackup(MIGRATION_NAMES)
    expectedRows = tables.length * ROWS_PER_TABLE
    const rowsOf = (table: Table) => [Array.from({ length: ROWS_PER_TABLE }, (_, number) => rowOf(table, number))]
    const encode = () => encodeBackup(HEADER, tables, rowsOf, unheard)
    const collect = (name: keyof typeof files) => async (chunks: AsyncIterable<Uint8Array>) => {
      files[name] = Buffer.concat(await Array.fromAsync(chunks))
    }
    await pipeline(encode(), collect('plain'))
    await pipeline(encode(), compress(), collect('compressed'))
    await pipeline(encode(), compress(), encryptWith(PASSPHRASE), collect('encrypted'))
    lines = files.plain.toString().trimEnd().split('\n')
  })

  /** Reads the file of these bytes, and returns the number of rows. */
  async function read(bytes: Uint8Array | string): Promise<number> {
    writeFileSync(file, bytes)
    const backup = await openBackup(file)
    let count = 0
    try {
      await backup.read((_table, rows) => (count += rows.length), unheard)
    } finally {
      await backup.close()
    }
    return count
  }

  const assertRefused = async (bytes: Uint8Array | string, message = /./) =>
    assert.rejects(read(bytes), (error) => error instanceof BackupError && message.test(error.message))

  /** A backup with these lines and the right checksum, as somebody could write one. */
  function forged(change: (lines: string[]) => string[]): string {
    const body = change(lines.slice(0, -1))
      .map((line) => `${line}\n`)
      .join('')
    const end = { ...JSON.parse(lines.at(-1) ?? ''), sha256: createHash('sha256').update(body).digest('hex') }
    return `${body}${JSON.stringify(end)}\n`
  }

  it('that does not exist, or is a folder, is named', async () => {
    await assert.rejects(openBackup(`${file}.none`), new BackupError(`${file}.none does not exist.`))
    await assert.rejects(openBackup(dirname(file)), new BackupError(`${dirname(file)} is not a file.`))
  })

  it('is read whether it is compressed or not', async () => {
    for (const bytes of [files.plain, files.compressed, forged((same) => same)]) {
      assert.equal(await read(bytes), expectedRows)
    }
  })

  for (const form of ['plain', 'compressed'] as const) {
    it(`is refused when it is ${form} and cut anywhere`, async () => {
      const { length } = files[form]
      for (let cut = 0; cut < length; cut += Math.ceil(length / 50)) await assertRefused(files[form].subarray(0, cut))
      for (let cut = 1; cut < 10; cut++) await assertRefused(files[form].subarray(0, -cut))
    })

    it(`is refused when it is ${form} and a bit is changed anywhere, or bytes follow`, async () => {
      const { length } = files[form]
      for (let place = 0; place < length; place += Math.ceil(length / 100)) {
        const bytes = flipped(files[form], place)
        if (form === 'plain' || !isSameWhenDecompressed(bytes, files.plain)) await assertRefused(bytes)
      }
      for (const more of ['\n', '{}\n', 'x', files[form]])
        await assertRefused(Buffer.concat([files[form], Buffer.from(more)]))
    })
  }

  it('is refused with the wrong passphrase, and when it is encrypted and changed, cut or continued', async () => {
    writeFileSync(file, files.encrypted)
    const backup = await openBackup(file)
    try {
      await assert.rejects(backup.unlock('another passphrase'), /^Error: The passphrase is wrong\.$/)
      // A key is derived once for all of these files, since that takes a second. Their headers are the same.
      await backup.unlock(PASSPHRASE)
      let count = 0
      const read = () => backup.read((_table, rows) => (count += rows.length), unheard)
      await read()
      assert.equal(count, expectedRows)
      const payload = files.encrypted.indexOf('\n--- ') + 5
      const changed = Array.from({ length: 20 }, (_, number) =>
        flipped(files.encrypted, payload + Math.floor((number * (files.encrypted.length - payload)) / 20)),
      )
      const cut = [1, 16, 17, 100].map((count) => files.encrypted.subarray(0, -count))
      for (const bytes of [...changed, ...cut, Buffer.concat([files.encrypted, Buffer.of(0)])]) {
        writeFileSync(file, bytes)
        await assert.rejects(read(), BackupError)
      }
    } finally {
      await backup.close()
    }
  })

  const ofUsers = (all: string[]) => all.findIndex((line) => line.startsWith('{"table":"users"'))
  const replaced = (all: string[], place: number, line: string) => all.toSpliced(place, 1, line)
  const forgeries: [what: string, change: (lines: string[]) => string[], message: RegExp][] = [
    [
      'a later format',
      (all) => replaced(all, 0, JSON.stringify({ ...HEADER, version: 2 })),
      /^A newer version of Portico/,
    ],
    [
      'an unknown migration',
      (all) => replaced(all, 0, JSON.stringify({ ...HEADER, migrations: [...MIGRATION_NAMES, '9999-later'] })),
      /does not know the migration 9999-later/,
    ],
    [
      'a gap in the migrations',
      (all) => replaced(all, 0, JSON.stringify({ ...HEADER, migrations: MIGRATION_NAMES.slice(1) })),
      /has gaps/,
    ],
    [
      'a version that would move the cursor',
      (all) => replaced(all, 0, JSON.stringify({ ...HEADER, portico: '\x1b[2J' })),
      /header of the backup is broken/,
    ],
    ['no migrations', (all) => replaced(all, 0, JSON.stringify({ ...HEADER, migrations: [] })), /no migration has run/],
    ['a header that is no object', (all) => replaced(all, 0, '["portico-backup"]'), /not a backup/],
    [
      'an unknown table',
      (all) => [...all, '{"table":"sqlite_master","columns":["name"],"base64":[]}'],
      /a table that the/,
    ],
    [
      'a table of Object.prototype',
      (all) => [...all, '{"table":"constructor","columns":[],"base64":[]}'],
      /a table that the/,
    ],
    ['a table twice', (all) => [...all, all[ofUsers(all)] ?? ''], /the table users twice/],
    [
      'an unknown column',
      (all) => replaced(all, ofUsers(all), (all[ofUsers(all)] ?? '').replace('"email"', '"email\\") --"')),
      /other columns than the schema/,
    ],
    ['a row before any table', (all) => all.toSpliced(1, 0, '["x"]'), /belongs to no table/],
    ['a row with a value too few', (all) => replaced(all, ofUsers(all) + 1, '["x"]'), /wrong number of values/],
    [
      'a number for a text',
      (all) => replaced(all, ofUsers(all) + 1, (all[ofUsers(all) + 1] ?? '').replace('"id ä 0"', '0')),
      /value of users\.id has the wrong type/,
    ],
    ['a row too few', (all) => all.toSpliced(ofUsers(all) + 1, 1), /other numbers of rows/],
    ['a line that is not JSON', (all) => [...all, 'select 1'], /is not JSON/],
    ['a line that is null', (all) => [...all, 'null'], /a table that the/],
  ]
  for (const [what, change, message] of forgeries) {
    it(`is refused with ${what}, even with the right checksum`, async () => assertRefused(forged(change), message))
  }

  it('is refused with a line that would fill the memory when it is parsed', async () => {
    for (const values of ['[],', '{},', '0,']) {
      const line = `["\\"[",${values.repeat(2 ** 20)}0]`
      await assertRefused(
        forged((all) => replaced(all, ofUsers(all) + 1, line)),
        /has too many values/,
      )
    }
    // A long text is no reason, whatever characters it has.
    const long = JSON.stringify('["\\,{'.repeat(2 ** 18))
    const changed = (all: string[]) =>
      replaced(
        all,
        ofUsers(all) + 1,
        (all[ofUsers(all) + 1] ?? '').replace('"id ä 0"', () => long),
      )
    assert.equal(await read(forged(changed)), expectedRows)
  })

  it('is refused when it is something else', async () => {
    for (const other of ['', 'SQLite format 3', '{}\n', '[]\n', '{"format":"other"}\n']) await assertRefused(other)
    await assertRefused(readFileSync(process.execPath).subarray(0, 1000), /not a backup/)
  })
})
