import { availableParallelism } from 'node:os'
import { type Bench, CONNECTIONS } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase } from '../databases/database.ts'
import { peopleIn, type RequestHeaders, signedInAtPortico } from '../databases/people.ts'
import { median } from '../measure/figures.ts'
import { endedChildrenSeconds } from '../measure/proc.ts'
import { inShortTurns } from '../measure/rounds.ts'
import { type Row, timesOf, verdict } from '../measure/rows.ts'
import type { Server } from '../measure/server.ts'
import { read } from './measures.ts'

const MIN_RATIO = 1.6

/** Two workers against one. On two cores the generator uses a part of them, which is subtracted. */
export async function* workers(bench: Bench) {
  const work = 'GET /api/user-details, two workers'
  bench.progress.step(work)
  const database = await createDatabase(bench, 'SQLite', 1000)
  await using one = await startPortico(database)
  await using two = await startPortico(database, { WORKERS: '2' })
  const callers = await signedInAtPortico(one, peopleIn(database, CONNECTIONS, 'readers'))
  const generator: number[] = []
  const figures = await inShortTurns(bench, {
    'one worker': read(one, '/api/user-details', callers),
    'two workers': readWatched(two, callers, generator),
  })
  const row = timesOf(
    { work, ours: figures['two workers'], theirs: figures['one worker'], against: 'one worker' },
    MIN_RATIO,
  )
  yield availableParallelism() > 2 ? row : withGeneratorAside(row, median(generator))
}

/** The estimated rate of the workers on both cores, extrapolated from their rate on the rest of them. */
function withGeneratorAside(row: Row, taken: number): Row {
  const aside = (Number.parseFloat(row.result) * 2) / (2 - taken)
  return {
    ...row,
    against: `${row.against}; on two cores, of which the generator takes ${taken.toFixed(2)}`,
    result: `${row.result}; generator aside ${aside.toFixed(2)} ×`,
    verdict: verdict(aside >= MIN_RATIO),
  }
}

/** Also measures how much of a core the generator used. */
function readWatched(server: Server, callers: RequestHeaders[], shares: number[]) {
  const measure = read(server, '/api/user-details', callers)
  return async (seconds: number) => {
    const before = endedChildrenSeconds()
    const figure = await measure(seconds)
    shares.push((endedChildrenSeconds() - before) / seconds)
    return figure
  }
}
