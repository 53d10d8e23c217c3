import { fileURLToPath } from 'node:url'
import { hashPassword } from '../../src/accounts/password-hash.ts'
import { type Bench, CONNECTIONS } from '../bench.ts'
import { startBetterAuth } from '../contenders/start-better-auth.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase } from '../databases/database.ts'
import { PASSWORD, peopleIn, signIn } from '../databases/people.ts'
import { load } from '../load/load.ts'
import type { Figure } from '../measure/figures.ts'
import { output } from '../measure/output.ts'
import { inTurns, type Measure } from '../measure/rounds.ts'
import { shareOf, timesOf } from '../measure/rows.ts'
import { logInAsEach } from './measures.ts'

// With so few requests a second it takes long until V8 has compiled the hot code.
const WARM_UP_FACTOR = 10

export async function* logIn(bench: Bench) {
  const work = 'POST /api/log-in, SQLite'
  bench.progress.step(work)
  const database = await createDatabase(bench, 'SQLite', 1000)
  await using portico = await startPortico(database)
  await using betterAuth = await startBetterAuth(bench, 1000)
  const people = peopleIn(database, CONNECTIONS, 'writers')
  const requests = people.map((email) => signIn(email, betterAuth))
  const atPortico = logInAsEach(portico, people)
  const atBetterAuth: Measure = (seconds) => load(betterAuth, { connections: CONNECTIONS, seconds, requests })
  bench.progress.now('warming up for long')
  for (const measure of bench.warmUp > 0 ? [atPortico, atBetterAuth] : []) await measure(bench.warmUp * WARM_UP_FACTOR)
  const figures = await inTurns(bench, {
    Portico: atPortico,
    'the hash alone': await hashAlone(),
    'better-auth': atBetterAuth,
  })
  const ours = figures.Portico
  yield shareOf({ work, ours, theirs: figures['the hash alone'], against: 'the hash alone' }, 0.95)
  yield timesOf({ work, ours, theirs: figures['better-auth'], against: 'better-auth sign-in, same hash' })
}

/** A process that computes only the hash of a log-in. */
export async function hashAlone() {
  const stored = await hashPassword(PASSWORD)
  const file = fileURLToPath(new URL('../contenders/hash.ts', import.meta.url))
  return async (seconds: number): Promise<Figure> =>
    JSON.parse(await output(process.execPath, [file, String(seconds), stored]))
}
