import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { argumentsOf, inlineNumbers, returnsAllColumns } from '../../src/database/prepared.ts'

const query = new Kysely<{ things: { name: string; size: number } }>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
}).withPlugin(inlineNumbers)

describe('a prepared query', () => {
  it('has its constant numbers in its SQL text, and its arguments and strings as parameters', () => {
    const { placeholders, bind } = argumentsOf(1)
    const compiled = query
      .selectFrom('things')
      .select('name')
      .where('size', '>', -5)
      .where('size', '<', placeholders[0] as never)
      .where('name', '=', "o'clock")
      .limit(200)
      .compile()
    assert.match(compiled.sql, /"size" > -5 and "size" < \? and "name" = \? limit 200$/)
    assert.deepEqual(bind(compiled, [7]), [7, "o'clock"])
  })

  it('that returns all columns of a table is recognized, in all forms', () => {
    const things = query.selectFrom('things')
    for (const all of [
      things.selectAll(),
      things.selectAll('things'),
      things.selectAll('things').select('name as other'),
      things.select('name as other').selectAll('things'),
      query.deleteFrom('things').returningAll(),
      query.deleteFrom('things').returningAll('things'),
      query.deleteFrom('things').returningAll('things').returning('name as other'),
    ])
      assert.equal(returnsAllColumns(all.compile().sql), true, all.compile().sql)
    for (const named of [
      things.select(({ fn }) => fn.countAll().as('count')),
      things.select(({ eb }) => eb('size', '*', 2).as('double')),
    ])
      assert.equal(returnsAllColumns(named.compile().sql), false, named.compile().sql)
  })
})
