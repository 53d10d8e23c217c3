import { type Bench, CONNECTIONS } from '../bench.ts'
import { AS_DEPLOYED, startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type Database, type EngineName } from '../databases/database.ts'
import { seededSessions } from '../databases/seeded-sessions.ts'
import { costOf } from '../measure/rows.ts'
import { sideBySide } from './side-by-side.ts'

const DETAILS = '/api/user-details'
const MAX_COST = 0.02
const ACCOUNTS = 1000
// The difference is small: twice as many processes as for the other works.
const ROUNDS_FACTOR = 2
const ON_ONE_CORE = { onServerCore: true }
const DEPLOYED = { ...AS_DEPLOYED, RATE_LIMIT_API: '1000000/1m' }
const PLAIN = 'without metrics'

/** The cost of metrics: Portico with limits, log and metrics, against itself without the metrics. */
export const metricsOn = (engine: EngineName) =>
  async function* (bench: Bench) {
    const work = `GET ${DETAILS} with metrics, ${engine}`
    bench.progress.step(work)
    // Each server is the only one on its database.
    const measured = await createDatabase(bench, engine, ACCOUNTS)
    const plain = await createDatabase(bench, engine, ACCOUNTS)
    const callersOn = async (database: Database) => (await seededSessions(database)).slice(0, CONNECTIONS)
    const figures = await sideBySide({ ...bench, rounds: bench.rounds * ROUNDS_FACTOR }, DETAILS, {
      'with metrics': {
        start: () => startPortico(measured, { ...DEPLOYED, METRICS_PORT: '0' }, ON_ONE_CORE),
        callers: await callersOn(measured),
      },
      [PLAIN]: { start: () => startPortico(plain, DEPLOYED, ON_ONE_CORE), callers: await callersOn(plain) },
    })
    yield costOf({ work, ours: figures['with metrics'], theirs: figures[PLAIN], against: PLAIN }, MAX_COST)
  }
