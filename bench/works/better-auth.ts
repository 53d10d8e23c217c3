import { type Bench, CONNECTIONS } from '../bench.ts'
import { startBetterAuth } from '../contenders/start-better-auth.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase } from '../databases/database.ts'
import { peopleIn, signedInAtBetterAuth, signedInAtPortico } from '../databases/people.ts'
import { inShortTurns } from '../measure/rounds.ts'
import { timesOf } from '../measure/rows.ts'
import { read } from './measures.ts'

/** Two requests that both support, for users who have four sessions at both. */
export async function* betterAuth(bench: Bench) {
  bench.progress.step('better-auth')
  const database = await createDatabase(bench, 'SQLite', 1000)
  await using portico = await startPortico(database)
  await using rival = await startBetterAuth(bench, 1000)
  const people = peopleIn(database, CONNECTIONS, 'readers')
  const callers = await signedInAtPortico(portico, people)
  const rivalCallers = await signedInAtBetterAuth(rival, people)
  for (const [ours, theirs] of [
    ['/api/user-details', 'get-session'],
    ['/api/sessions', 'list-sessions'],
  ] as const) {
    const work = `GET ${ours}, SQLite`
    const against = `better-auth ${theirs}`
    bench.progress.step(`${work}: ${against}`)
    const figures = await inShortTurns(bench, {
      Portico: read(portico, ours, callers),
      'better-auth': read(rival, `/api/auth/${theirs}`, rivalCallers),
    })
    yield timesOf({ work, ours: figures.Portico, theirs: figures['better-auth'], against }, 10)
  }
}
