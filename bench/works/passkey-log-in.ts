import { type Bench, CONNECTIONS } from '../bench.ts'
import { BASE_URL, startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type EngineName } from '../databases/database.ts'
import { logIn, peopleIn } from '../databases/people.ts'
import { signInWithPasskeys } from '../load/load.ts'
import { inTurns } from '../measure/rounds.ts'
import { type Row, timesOf } from '../measure/rows.ts'
import { logInAsEach } from './measures.ts'

const MIN_RATIO_TO_PASSWORD = 5

/** Each of 32 connections signs in with a passkey of its own, options included, beside log-ins with a password. */
export const passkeyLogInOn = (engine: EngineName) =>
  async function* (bench: Bench): AsyncGenerator<Row> {
    const work = `POST /api/log-in/passkey, with its options, ${engine}`
    bench.progress.step(work)
    const database = await createDatabase(bench, engine, 1000)
    await using portico = await startPortico(database)
    const people = peopleIn(database, CONNECTIONS, 'writers')
    const requests = people.map(logIn)
    const { passkey, password } = await inTurns(bench, {
      passkey: (seconds) =>
        signInWithPasskeys(portico, { connections: CONNECTIONS, seconds, requests, origin: BASE_URL }),
      password: logInAsEach(portico, people),
    })
    const contest = { work, ours: passkey, theirs: password, against: 'POST /api/log-in' }
    yield timesOf(contest, MIN_RATIO_TO_PASSWORD)
  }
