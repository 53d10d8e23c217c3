import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { asWritten, csvRowsOf, csvText, neutralised } from '../../src/people/csv.ts'
import { CSV_COLUMNS, cellsOf, recordOfCells } from '../../src/people/csv-record.ts'
import { storedFormat } from '../../src/people/foreign-hash.ts'
import { namesOf, timeOf } from '../../src/people/foreign-values.ts'
import { elementsOf } from '../../src/people/json-elements.ts'
import { RECORD_FIELDS } from '../../src/people/record.ts'

/** The text in chunks of so many bytes. */
async function* chunks(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const cell = fc.string({ unit: fc.constantFrom(...'ab"\',;=+-@\t\r\n \u00e9\ufeff\u{1f600}'), maxLength: 8 })

describe('a CSV file', () => {
  it('has every text after writing and reading it, however its bytes arrive', async () => {
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 20 }), async (written, size) => {
        // A file may begin with a byte order mark, so that the first cell cannot.
        const text = csvText(['header', 'row']) + written.map(csvText).join('')
        const read = await Array.fromAsync(csvRowsOf(chunks(text, size)), ({ value }) => value)
        assert.deepEqual(read.slice(1), written)
      }),
    )
  })

  it('has no cell that a spreadsheet program would run, and reading undoes exactly that', () => {
    fc.assert(
      fc.property(cell, (text) => {
        const written = neutralised(text)
        assert.doesNotMatch(written, /^[=+\-@\t\r\n]/)
        assert.equal(asWritten(written), text)
      }),
    )
    assert.equal(neutralised('=1+1'), "'=1+1")
    assert.equal(neutralised("'=1+1"), "''=1+1")
    assert.equal(neutralised("'quoted'"), "'quoted'")
  })

  it('names rows by the line at which they begin, and lets a bad one not hide the next', async () => {
    const text = Buffer.concat([
      Buffer.from('a,b\n"x\ny",1\r\n\n'),
      Buffer.from([0xff, 0x2c, 0x31, 0x0a]),
      Buffer.from('z,2'),
    ])
    const read = await Array.fromAsync(csvRowsOf([text] as never), (row) => row)
    assert.deepEqual(read, [
      { line: 1, value: ['a', 'b'] },
      { line: 2, value: ['x\ny', '1'] },
      { line: 5, value: undefined },
      { line: 6, value: ['z', '2'] },
    ])
  })

  it('has a record as cells and back', () => {
    const record = {
      email: 'ada@example.com',
      hasChangedUsername: true,
      registeredAgain: 2,
      bio: '=1+1',
      location: { city: '@home' },
      preferences: { theme: 'dark', font: 'mono' },
      socialAccounts: [{ provider: 'a', url: 'https://example.com' }],
    }
    const cells = Object.fromEntries(CSV_COLUMNS.map((name, index) => [name, cellsOf(record)[index] ?? '']))
    assert.deepEqual(recordOfCells(cells), record)
  })
})

describe('the elements of a JSON file', () => {
  const lists = '{"user": [\n{"a": "]}\\"", "b": [{}]},\n\n{"c": {"d": 1}}], "other": 1, "account": [{"e": null}]}'

  it('are found wherever the chunks of the file end', async () => {
    for (let size = 1; size < 20; size++) {
      const found = await Array.fromAsync(elementsOf(chunks(lists, size)), ({ line, list, value }) => [
        line,
        list,
        JSON.parse(value.toString()),
      ])
      assert.deepEqual(found, [
        [2, 'user', { a: ']}"', b: [{}] }],
        [4, 'user', { c: { d: 1 } }],
        [4, 'account', { e: null }],
      ])
    }
  })

  it('are those of the outer array too', async () => {
    const found = await Array.fromAsync(elementsOf(chunks('[{"a":[{"b":1}]},{}]', 3)), ({ value }) => value.toString())
    assert.deepEqual(found, ['{"a":[{"b":1}]}', '{}'])
  })
})

describe('the reference of the file of people', () => {
  it('names every field and every column', async () => {
    const page = await readFile(new URL('../../docs/pages/reference/people-file.md', import.meta.url), 'utf8')
    for (const name of [...RECORD_FIELDS, ...CSV_COLUMNS]) assert.ok(page.includes(`\`${name}\``), name)
  })
})

describe('the values of other systems', () => {
  it('are times in the forms of databases', () => {
    assert.equal(timeOf('2025-05-01 08:00:00.123456+00'), '2025-05-01T08:00:00.123Z')
    assert.equal(timeOf('2025-05-01 08:00:00.123Z'), '2025-05-01T08:00:00.123Z')
    assert.equal(timeOf('1746000000000'), '2025-04-30T08:00:00.000Z')
    assert.equal(timeOf(1746000000000), '2025-04-30T08:00:00.000Z')
    for (const bad of ['', 'soon', null, {}, '9'.repeat(50)]) assert.equal(timeOf(bad), undefined)
  })

  it('are names, of which the last word is the last name', () => {
    assert.deepEqual(namesOf({ whole: 'Ada King Lovelace' }), { firstName: 'Ada King', lastName: 'Lovelace' })
    assert.deepEqual(namesOf({ whole: 'Ada' }), { firstName: 'Ada' })
    assert.deepEqual(namesOf({ first: 'Ada', whole: 'Ada Lovelace' }), { firstName: 'Ada' })
    assert.deepEqual(namesOf({ whole: 7 }), {})
  })

  it('are hashes in several notations, of which one is stored', () => {
    const bcrypt = 'abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui'
    for (const version of ['2a', '2b', '2y']) assert.equal(storedFormat(`$${version}$05$${bcrypt}`), `$2b$05$${bcrypt}`)
    const [salt, key] = ['c2FsdHNhbHQ', 'A'.repeat(43)]
    const stored = `$pbkdf2-sha256$i=29000$${salt}$${key}`
    assert.equal(storedFormat(`$pbkdf2-sha256$29000$${salt}$${key}`), stored)
    assert.equal(storedFormat(`$pbkdf2-sha256$i=29000,l=32$${salt}=$${key}=`), stored)
    assert.throws(() => storedFormat('md5:0cc175b9c0f1b6a831c399e269772661'), /unknown format/)
  })
})
