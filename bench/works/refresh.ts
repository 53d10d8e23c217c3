import { type Bench, CONNECTIONS } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type EngineName } from '../databases/database.ts'
import { peopleIn } from '../databases/people.ts'
import { middle, words } from '../measure/figures.ts'
import { inTurns } from '../measure/rounds.ts'
import { type Row, verdict } from '../measure/rows.ts'
import { refreshAsEach } from './measures.ts'

const LEAST = 1000
const LONGEST = 100

/** Each of 32 connections refreshes its own session, carrying the new token forward. */
export const refreshOn = (engine: EngineName) =>
  async function* (bench: Bench) {
    const work = `POST /api/auth/refresh-token, ${engine}`
    bench.progress.step(work)
    const database = await createDatabase(bench, engine, 1000)
    await using portico = await startPortico(database)
    const { Portico } = await inTurns(bench, {
      Portico: refreshAsEach(portico, peopleIn(database, CONNECTIONS, 'writers')),
    })
    const figure = middle(Portico)
    yield {
      work,
      portico: words(figure),
      against: '',
      result: '',
      bar: `≥ 1,000/s, p99 < ${LONGEST} ms`,
      verdict: verdict(figure.rate >= LEAST && figure.p99 < LONGEST),
    } satisfies Row
  }
