import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashSync } from 'bcryptjs'
import { report } from '../support/measuring.ts'
import { fileOfMany } from '../support/people-files.ts'
import { readDatabase, runPortico } from '../support/process.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'

const PEOPLE = 100_000
const MAX_SECONDS = 5 * 60

describe(`the import of ${PEOPLE} people`, () => {
  for (const engine of ENGINES) {
    it(`takes less than ${MAX_SECONDS} s, and is found again in less, on ${engine}`, async (t) => {
      const env = await temporaryDatabase(t, engine)
      await readDatabase(env, async () => {})
      const path = await fileOfMany(t, PEOPLE, hashSync('a password', 4))
      for (const [imported, alreadyHere] of [
        [PEOPLE, 0],
        [0, PEOPLE],
      ]) {
        const { code, stdout, stderr } = await runPortico(t, ['people', 'import', path, '--json'], { env })
        assert.equal(code, 0, stderr)
        const result = JSON.parse(stdout)
        assert.deepEqual([result.imported, result.alreadyHere], [imported, alreadyHere])
        report(`${engine}: ${result.imported} imported and ${result.alreadyHere} found again in ${result.seconds} s`)
        assert.ok(result.seconds < MAX_SECONDS)
      }
    })
  }
})
