import { type Bench, CONNECTIONS } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type EngineName } from '../databases/database.ts'
import { peopleIn } from '../databases/people.ts'
import { type Figure, middle, words } from '../measure/figures.ts'
import { inTurns, type Measure } from '../measure/rounds.ts'
import { type Row, timesOf, verdict } from '../measure/rows.ts'
import type { Place } from '../measure/server.ts'
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
    await using stack = new AsyncDisposableStack()
    const figures = await inTurns(bench, { Portico: await start(stack, bench, engine) })
    yield enough(work, figures.Portico)
    if (bench.before) yield await beside(bench, bench.before, `${work}, one core`, engine)
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

/** Beside an earlier Portico, in turns, each on a database of its own. */
async function beside(bench: Bench, before: string, work: string, engine: EngineName): Promise<Row> {
  bench.progress.step(`${work}, beside ${commitOf(before)}`)
  await using stack = new AsyncDisposableStack()
  const figures = await inTurns(bench, {
    before: await start(stack, bench, engine, { before, place: { onServerCore: true } }),
    now: await start(stack, bench, engine, { place: { onServerCore: true } }),
  })
  const contest = { work, ours: figures.now, theirs: figures.before, against: `before, commit ${commitOf(before)}` }
  return timesOf(contest, engine === 'SQLite' ? MIN_RATIO_TO_BEFORE : undefined)
}

async function start(
  stack: AsyncDisposableStack,
  bench: Bench,
  engine: EngineName,
  { before, place }: { before?: string; place?: Place } = {},
): Promise<Measure> {
  const database = await createDatabase(bench, engine, 1000, before)
  const server = stack.use(await startPortico(database, {}, place))
  return refreshAsEach(server, peopleIn(database, CONNECTIONS, 'writers'))
}
