import { type Bench, CONNECTIONS } from '../bench.ts'
import { startByHand } from '../contenders/start-by-hand.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type EngineName } from '../databases/database.ts'
import { peopleIn, signedInAtPortico } from '../databases/people.ts'
import { inShortTurns } from '../measure/rounds.ts'
import { shareOf } from '../measure/rows.ts'
import { read } from './measures.ts'

const PATH = '/api/user-details'

/** The cost of the HTTP layer, the query builder and the schemas: the same request to a server without them. */
export const byHandOn = (engine: EngineName) =>
  async function* (bench: Bench) {
    const work = `GET ${PATH}, ${engine}`
    bench.progress.step(work)
    const database = await createDatabase(bench, engine, 1000)
    await using portico = await startPortico(database)
    await using byHand = await startByHand(database)
    const callers = await signedInAtPortico(portico, peopleIn(database, CONNECTIONS, 'readers'))
    const figures = await inShortTurns(bench, {
      Portico: read(portico, PATH, callers),
      'by hand': read(byHand, PATH, callers),
    })
    yield shareOf({ work, ours: figures.Portico, theirs: figures['by hand'], against: 'by hand' }, 0.8)
  }
