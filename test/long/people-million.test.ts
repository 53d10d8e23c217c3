import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { median } from '../../bench/measure/figures.ts'
import { lockWithOwners } from '../../src/accounts/last-owner.ts'
import { PEOPLE_FILTERS } from '../../src/owner/people-filters.ts'
import { searchPeople } from '../../src/owner/search-people.ts'
import { readDatabase } from '../support/process.ts'
import { report } from '../support/progress.ts'
import { seededDatabase } from '../support/seeded-database.ts'
import { ENGINES } from '../support/service.ts'

const PEOPLE = 1_000_000
const ROUNDS = 20
const MAX_MEDIAN_MS = 50
const SEARCHES = ['', 'p', 'person-5', 'person-500000', 'ada', 'ada lovelace', 'love', 'zzz', '%', '\u{10ffff}']

async function medianMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return median(times)
}

describe(`the search of ${PEOPLE} people`, () => {
  for (const engine of ENGINES) {
    it(`takes less than ${MAX_MEDIAN_MS} ms for each text and filter, on ${engine}`, async (t) => {
      const env = await seededDatabase(t, engine, PEOPLE)
      await readDatabase(env, async (database) => {
        await sql`update users set role = 'owner' where email like 'person-7777%'`.execute(database.query)
        await sql`analyze`.execute(database.query)
        let slowest = { label: '', ms: 0 }
        for (const text of SEARCHES) {
          for (const filter of PEOPLE_FILTERS) {
            const page = { text, filter, order: 'newest' as const, after: undefined, limit: 50 }
            const ms = await medianMs(() => searchPeople(database, page))
            if (ms > slowest.ms) slowest = { label: `"${text}" among ${filter}`, ms }
          }
        }
        const lockMs = await medianMs(() => database.transaction((tx) => lockWithOwners(tx, 'nobody')))
        report(`${engine}: slowest search ${slowest.label} ${slowest.ms.toFixed(1)} ms, lock ${lockMs.toFixed(1)} ms`)
        assert.ok(slowest.ms < MAX_MEDIAN_MS, `${slowest.label}: ${slowest.ms} ms`)
        assert.ok(lockMs < MAX_MEDIAN_MS, `lock: ${lockMs} ms`)
      })
    })
  }
})
