import type { Bench } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type Database, type EngineName } from '../databases/database.ts'
import { peopleIn, signedInAtPortico } from '../databases/people.ts'
import { count } from '../measure/figures.ts'
import { inTurns, type Measure } from '../measure/rounds.ts'
import { type Row, shareOf, verdict } from '../measure/rows.ts'
import type { Server } from '../measure/server.ts'
import { logInAsEach, read, refreshAsEach } from './measures.ts'
import { startsOn } from './start.ts'

const BASELINE_ACCOUNTS = 1000
// Enough that their rows are not all in the same few pages.
const CALLERS = 200
const TOLERANCE = 0.15

/** Many accounts against few, with three sessions each: a read must not become slower, nor a process larger. */
export const scaleOn = (engine: EngineName) =>
  async function* (bench: Bench) {
    bench.progress.step(`${count(bench.many)} accounts on ${engine}`)
    const few = await createDatabase(bench, engine, BASELINE_ACCOUNTS)
    const many = await createDatabase(bench, engine, bench.many)
    yield* loads(bench, engine, few, many)
    yield* starts(bench, engine, few, many)
  }

async function* loads(bench: Bench, engine: EngineName, few: Database, many: Database) {
  await using small = await startPortico(few)
  await using large = await startPortico(many)
  const [atSmall, atLarge] = [await works(small, few), await works(large, many)]
  for (const [name, measure] of Object.entries(atLarge)) {
    const work = `${name}, ${engine}, ${count(bench.many)} accounts`
    bench.progress.step(work)
    const figures = await inTurns(bench, { many: measure, few: atSmall[name] as Measure })
    const against = `${count(BASELINE_ACCOUNTS)} accounts`
    yield shareOf({ work, ours: figures.many, theirs: figures.few, against }, 1 - TOLERANCE)
  }
}

async function works(portico: Server, database: Database): Promise<Record<string, Measure>> {
  const callers = await signedInAtPortico(portico, peopleIn(database, CALLERS, 'readers'))
  const writers = peopleIn(database, CALLERS, 'writers')
  return {
    'GET /api/user-details': read(portico, '/api/user-details', callers),
    'GET /api/sessions': read(portico, '/api/sessions', callers),
    'POST /api/auth/refresh-token': refreshAsEach(portico, writers),
    'POST /api/log-in': logInAsEach(portico, writers),
    'GET /feed.xml': read(portico, '/feed.xml', [{ 'accept-encoding': 'br' }]),
  }
}

async function* starts(bench: Bench, engine: EngineName, few: Database, many: Database) {
  bench.progress.step(`start and memory, ${engine}, ${count(bench.many)} accounts`)
  const small = await startsOn(bench, few)
  const large = await startsOn(bench, many)
  const row = (name: string, key: 'first' | 'memory', unit: string): Row => ({
    work: `${name}, ${engine}, ${count(bench.many)} accounts`,
    portico: `${count(large[key])} ${unit}`,
    against: `${count(BASELINE_ACCOUNTS)} accounts: ${count(small[key])} ${unit}`,
    result: `${((large[key] / small[key]) * 100).toFixed(0)} %`,
    bar: `≤ ${100 + TOLERANCE * 100} %`,
    verdict: verdict(large[key] <= small[key] * (1 + TOLERANCE)),
  })
  yield row('first response', 'first', 'ms')
  yield row('idle memory', 'memory', 'MiB')
}
