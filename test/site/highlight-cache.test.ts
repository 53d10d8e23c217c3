import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createHighlightCache } from '../../src/content/highlight-cache.ts'
import { createSavedContent } from '../../src/content/saved-content.ts'
import { cleanUp } from '../support/clean-up.ts'
import { ENGINES, type EngineName, startService } from '../support/service.ts'

const ROUNDS = 10

/** A cache on a database of its own. An error of it fails the test. */
async function openCache(t: TestContext, engine: EngineName) {
  const service = await startService(engine)
  cleanUp(t, () => service.close())
  const { database } = service.portico
  const errors: unknown[] = []
  const open = () => createHighlightCache(database, (error) => errors.push(error))
  return { database, errors, open }
}

function entries(keys: string[]): [string, string][] {
  return keys.map((key) => [key, `"${key}"`])
}

for (const engine of ENGINES) {
  describe(`the cache of highlighted code on ${engine}`, () => {
    it('has the code that was added and not removed', async (t) => {
      const { database, errors, open } = await openCache(t, engine)
      await createSavedContent(database).write('contributions', 'of another feature')
      await open().add(entries(['a', 'b', 'c']))
      await open().remove(['b', 'unknown'])
      assert.deepEqual(await open().read(), new Map(entries(['a', 'c'])))
      assert.equal((await createSavedContent(database).read('contributions'))?.value, 'of another feature')
      assert.deepEqual(errors, [])
    })

    it('takes the same code from several instances at once, in any order', async (t) => {
      const { errors, open } = await openCache(t, engine)
      const keys = Array.from({ length: 300 }, (_, number) => `key-${number}`)
      for (let round = 0; round < ROUNDS; round++) {
        await Promise.all([keys, keys.toReversed(), keys].map((some) => open().add(entries(some))))
        assert.equal((await open().read()).size, keys.length)
        await open().remove(keys)
      }
      assert.deepEqual(errors, [])
    })

    it('removes the row of version 0.1, which had all code', async (t) => {
      const { database, errors, open } = await openCache(t, engine)
      await createSavedContent(database).write('highlighted-code', { key: { lines: ['text'], rules: [] } })
      assert.deepEqual(await open().read(), new Map())
      assert.equal(await createSavedContent(database).read('highlighted-code'), undefined)
      assert.deepEqual(errors, [])
    })

    it('reports that code could not be saved or removed', async (t) => {
      const { database, errors, open } = await openCache(t, engine)
      await database.query.schema.dropTable('saved_content').execute()
      await open().add(entries(['a']))
      await open().remove(['a'])
      assert.equal(errors.length, 2)
    })
  })
}
