import { type Bench, CONNECTIONS } from '../bench.ts'
import { AS_DEPLOYED, startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type Database, type EngineName } from '../databases/database.ts'
import { seededSessions } from '../databases/seeded-sessions.ts'
import { costOf } from '../measure/rows.ts'
import { sideBySide } from './side-by-side.ts'

const DETAILS = '/api/user-details'
const MAX_COST = 0.02
const ACCOUNTS = 1000
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
    const figures = await sideBySide(bench, DETAILS, {
      'with metrics': {
        start: (place) => startPortico(measured, { ...DEPLOYED, METRICS_PORT: '0' }, place),
        callers: await callersOn(measured),
      },
      [PLAIN]: { start: (place) => startPortico(plain, DEPLOYED, place), callers: await callersOn(plain) },
    })
    yield costOf({ work, ours: figures['with metrics'], theirs: figures[PLAIN], against: PLAIN }, MAX_COST)
  }
