import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { createRowReader } from '../../src/database/sqlite-rows.ts'

const database = new DatabaseSync(':memory:')
database.exec('create table things (name text, "size of it" integer, bytes blob)')
const run = (text: string, ...values: unknown[]) => createRowReader(database.prepare(text))(values)

describe('a row of SQLite', () => {
  it('is an object with a field for each column, whatever its name and value', () => {
    const rows = run('insert into things values (?, ?, ?) returning *', 'a', null, new Uint8Array([1, 2]))
    assert.deepEqual(rows, [{ name: 'a', 'size of it': null, bytes: new Uint8Array([1, 2]) }])
    assert.deepEqual(run(`select 1 as "it's so"`), [{ "it's so": 1 }])
  })

  it('is not returned by a statement without a result', () => {
    assert.deepEqual(run('update things set name = ?', 'b'), [])
    assert.deepEqual(run('select name from things where name = ?', 'a'), [])
    assert.deepEqual(run('select name from things'), [{ name: 'b' }])
  })

  it('is read correctly after a column was added to the table', () => {
    const read = createRowReader(database.prepare('select name from things'))
    assert.deepEqual(read([]), [{ name: 'b' }])
    database.exec('alter table things add column colour text')
    assert.deepEqual(read([]), [{ name: 'b' }])
  })
})
