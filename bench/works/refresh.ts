import { type Bench, CONNECTIONS } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type EngineName } from '../databases/database.ts'
import { peopleIn } from '../databases/people.ts'
import { type Figure, middle, words } from '../measure/figures.ts'
import { inTurns, type Measure } from '../measure/rounds.ts'
import { type Row, timesOf, verdict } from '../measure/rows.ts'
import { commitOf } from '../report.ts'
import { refreshAsEach } from './measures.ts'

const MIN_RATE = 1000
const MAX_P99_MS = 100
// Of the last version with signed refresh tokens.
const MIN_RATIO_TO_BEFORE = 1.6

/** Each of 32 connections refreshes its own session, carrying the new token forward. */
export const refreshOn = (engine: EngineName) =>
  async function* (bench: Bench): AsyncGenerator<Row> {
    const work = `POST /api/auth/refresh-token, ${engine}`
    bench.progress.step(work)
    const database = await createDatabase(bench, engine, 1000)
    await using portico = await startPortico(database)
    const ours = refreshAsEach(portico, peopleIn(database, CONNECTIONS, 'writers'))
    if (bench.before) yield* beside(bench, bench.before, work, engine, ours)
    else yield enough(work, (await inTurns(bench, { Portico: ours })).Portico)
  }

function enough(work: string, ours: Figure[]): Row {
  const figure = middle(ours)
  return {
    work,
    portico: words(figure),
    against: '',
    result: '',
    bar: `≥ 1,000/s, p99 < ${MAX_P99_MS} ms`,
    verdict: verdict(figure.rate >= MIN_RATE && figure.p99 < MAX_P99_MS),
  }
}

/** The same, and the same of an earlier Portico, in turns, on a database of its own. */
async function* beside(
  bench: Bench,
  before: string,
  work: string,
  engine: EngineName,
  ours: Measure,
): AsyncGenerator<Row> {
  const database = await createDatabase(bench, engine, 1000, before)
  await using earlier = await startPortico(database)
  const theirs = refreshAsEach(earlier, peopleIn(database, CONNECTIONS, 'writers'))
  const figures = await inTurns(bench, { before: theirs, now: ours })
  yield enough(work, figures.now)
  const contest = { work, ours: figures.now, theirs: figures.before, against: `before, commit ${commitOf(before)}` }
  yield timesOf(contest, engine === 'SQLite' ? MIN_RATIO_TO_BEFORE : undefined)
}
