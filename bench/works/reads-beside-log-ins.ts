import { setTimeout } from 'node:timers/promises'
import { type Bench, CONNECTIONS } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase } from '../databases/database.ts'
import { peopleIn, signedInAtPortico } from '../databases/people.ts'
import { load } from '../load/load.ts'
import { type Figure, middle, milliseconds, ratio } from '../measure/figures.ts'
import { inTurns } from '../measure/rounds.ts'
import { judge, type Row, resultOf } from '../measure/rows.ts'
import { hashAlone } from './log-in.ts'
import { logInAsEach } from './measures.ts'

const READS_PER_SECOND = 200
const LEAD_SECONDS = 0.5
const MAX_RATIO = 3

/**
 * Hashes use all cores either way. The measurement shows whether reads wait longer when the hashes are in our own
 * process.
 */
export async function* readsBesideLogIns(bench: Bench) {
  const work = `GET /api/user-details, ${READS_PER_SECOND}/s beside log-ins`
  bench.progress.step(work)
  const database = await createDatabase(bench, 'SQLite', 1000)
  await using portico = await startPortico(database)
  const callers = await signedInAtPortico(portico, peopleIn(database, CONNECTIONS, 'readers'))
  const requests = callers.map((headers) => ({ path: '/api/user-details', headers }))

  const readsBeside = (runLoad: (seconds: number) => Promise<unknown>) => async (seconds: number) => {
    const under = runLoad(seconds + 2 * LEAD_SECONDS)
    await setTimeout(LEAD_SECONDS * 1000)
    const figure = await load(portico, { connections: CONNECTIONS, seconds, requests, perSecond: READS_PER_SECOND })
    await under
    return figure
  }
  const figures = await inTurns(bench, {
    'beside log-ins': readsBeside(logInAsEach(portico, peopleIn(database, CONNECTIONS, 'writers'))),
    'beside hashes in another process': readsBeside(await hashAlone()),
  })
  const p99 = (name: keyof typeof figures) => milliseconds(middle(figures[name] as Figure[]).p99)
  const times = ratio(figures['beside log-ins'], figures['beside hashes in another process'], 'p99')
  yield {
    work,
    portico: `p99 ${p99('beside log-ins')}`,
    against: `beside the same hashes in another process: p99 ${p99('beside hashes in another process')}`,
    result: `${resultOf(times, (value) => value.toFixed(2))} ×`,
    bar: `≤ ${MAX_RATIO} ×`,
    verdict: judge(times, (value) => value <= MAX_RATIO),
  } satisfies Row
}
