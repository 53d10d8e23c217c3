import { availableParallelism } from 'node:os'
import { type Bench, CONNECTIONS } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase } from '../databases/database.ts'
import { peopleIn, type RequestHeaders, signedInAtPortico } from '../databases/people.ts'
import { type Figure, median } from '../measure/figures.ts'
import { endedChildrenSeconds } from '../measure/proc.ts'
import { inShortTurns, type Measure } from '../measure/rounds.ts'
import { type Row, shareOf, timesOf } from '../measure/rows.ts'
import type { Server } from '../measure/server.ts'
import { read } from './measures.ts'

const DETAILS = '/api/user-details'
const MIN_SHARE = 0.9
const SEPARATE = 'two services on databases of their own'

/**
 * Two workers against one, and against two services that share nothing. A second core of a virtual machine may be a
 * thread of the same physical core, which adds less than a core: the two services show how much.
 */
export async function* workers(bench: Bench) {
  const work = `GET ${DETAILS}, two workers`
  bench.progress.step(work)
  const database = await createDatabase(bench, 'SQLite', 1000)
  const otherDatabase = await createDatabase(bench, 'SQLite', 1000)
  await using one = await startPortico(database)
  await using other = await startPortico(otherDatabase)
  await using two = await startPortico(database, { WORKERS: '2' })
  const callers = await signedInAtPortico(one, peopleIn(database, CONNECTIONS, 'readers'))
  const otherCallers = await signedInAtPortico(other, peopleIn(otherDatabase, CONNECTIONS, 'readers'))
  const generator: number[] = []
  const figures = await inShortTurns(bench, {
    'one worker': read(one, DETAILS, callers),
    'two workers': readWatched(two, callers, generator),
    [SEPARATE]: together(read(one, DETAILS, callers), read(other, DETAILS, otherCallers)),
  })
  const ours = figures['two workers']
  const row = timesOf({ work, ours, theirs: figures['one worker'], against: 'one worker' })
  yield availableParallelism() > 2 ? row : withGeneratorAside(row, median(generator))
  yield shareOf({ work, ours, theirs: figures[SEPARATE], against: SEPARATE }, MIN_SHARE)
}

/** The load of both at the same time, as one figure. */
function together(...measures: Measure[]): Measure {
  return async (seconds) => {
    const figures = await Promise.all(measures.map((measure) => measure(seconds)))
    const rate = figures.reduce((sum, figure) => sum + figure.rate, 0)
    const cpus = figures.flatMap((figure) => (figure.cpu === undefined ? [] : figure.cpu * figure.rate))
    return {
      rate,
      p99: Math.max(...figures.map(({ p99 }) => p99)),
      ...(cpus.length > 0 && { cpu: cpus.reduce((sum, cpu) => sum + cpu, 0) / rate }),
    }
  }
}

/** The estimated rate of the workers on both cores, extrapolated from their rate on the rest of them. */
function withGeneratorAside(row: Row, taken: number): Row {
  const aside = (Number.parseFloat(row.result) * 2) / (2 - taken)
  return {
    ...row,
    against: `${row.against}; on two cores, of which the generator takes ${taken.toFixed(2)}`,
    result: `${row.result}; generator aside ${aside.toFixed(2)} ×`,
  }
}

/** Also measures how much of a core the generator used. */
function readWatched(server: Server, callers: RequestHeaders[], shares: number[]): Measure {
  const measure = read(server, DETAILS, callers)
  return async (seconds: number): Promise<Figure> => {
    const before = endedChildrenSeconds()
    const figure = await measure(seconds)
    shares.push((endedChildrenSeconds() - before) / seconds)
    return figure
  }
}
