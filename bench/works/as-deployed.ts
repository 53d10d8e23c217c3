import { type Bench, CONNECTIONS } from '../bench.ts'
import { AS_DEPLOYED, startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type Database, type EngineName } from '../databases/database.ts'
import type { RequestHeaders } from '../databases/people.ts'
import { seededSessions } from '../databases/seeded-sessions.ts'
import { shareOf } from '../measure/rows.ts'
import { newestPost } from './content.ts'
import { startedAnew } from './started-anew.ts'

const DETAILS = '/api/user-details'
const MIN_DETAILS_SHARE = 0.8
const MIN_PAGE_SHARE = 0.9
const RAISED_LIMIT = { RATE_LIMIT_API: '1000000/1m' }
// Each has three sessions. At the default limit of 100 calls a minute, 12,000 sessions may make 20,000 calls a second all the
// time, and twice that in every other turn. Portico keeps about 18,000 verified tokens.
const ACCOUNTS = 4000
// Each server verifies all tokens once before it is measured, and V8 compiles the code that only one of them runs.
const WARM_UP_FACTOR = 3
// The difference is a few percent, and one process differs from the next by as much.
const PAGE_ROUNDS_FACTOR = 3
const BARE = 'without limits and log'

/** The cost of rate limits and the request log: Portico with both, against itself without them. */
export const asDeployedOn = (engine: EngineName) =>
  async function* (bench: Bench) {
    bench.progress.step(`as deployed, ${engine}`)
    const warm = { ...bench, warmUp: bench.warmUp * WARM_UP_FACTOR }
    const database = await createDatabase(bench, engine, ACCOUNTS)
    const sessions = await seededSessions(database)
    // Each server is the only one on its database.
    const bareDatabase = await createDatabase(bench, engine, ACCOUNTS)
    const bareSessions = await seededSessions(bareDatabase)
    // No session is in two rows: the hits of the first would exhaust the limit of the second.
    for (const [select, limit, settings] of [
      [(all: RequestHeaders[]) => all.slice(0, CONNECTIONS), 'raised limit', RAISED_LIMIT],
      [(all: RequestHeaders[]) => all.slice(CONNECTIONS), 'default limit', {}],
    ] as const) {
      const work = `GET ${DETAILS} as deployed, ${engine}, ${select(sessions).length} sessions, ${limit}`
      bench.progress.step(work)
      const figures = await startedAnew(warm, DETAILS, {
        'as deployed': {
          start: () => startPortico(database, { ...AS_DEPLOYED, ...settings }),
          callers: select(sessions),
        },
        [BARE]: { start: () => startPortico(bareDatabase), callers: select(bareSessions) },
      })
      const [ours, theirs] = [figures['as deployed'], figures[BARE]]
      yield shareOf({ work, ours, theirs, against: BARE }, MIN_DETAILS_SHARE)
    }

    const work = `GET /blog/<post> as deployed, ${engine}`
    bench.progress.step(work)
    const post = await newestPostOn(bareDatabase)
    const callers = [{ accept: 'text/html', 'accept-encoding': 'br' }]
    const rounds = bench.rounds * PAGE_ROUNDS_FACTOR
    const figures = await startedAnew({ ...bench, rounds }, post, {
      'as deployed': { start: () => startPortico(database, AS_DEPLOYED), callers },
      [BARE]: { start: () => startPortico(bareDatabase), callers },
    })
    yield shareOf({ work, ours: figures['as deployed'], theirs: figures[BARE], against: BARE }, MIN_PAGE_SHARE)
  }

async function newestPostOn(database: Database): Promise<string> {
  await using portico = await startPortico(database)
  return await newestPost(portico.url)
}
