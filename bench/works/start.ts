import { setTimeout } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type Database } from '../databases/database.ts'
import { type Headers, peopleIn, signedInAtPortico } from '../databases/people.ts'
import { count, median } from '../measure/figures.ts'
import { residentMemory } from '../measure/proc.ts'
import { atMost } from '../measure/rows.ts'

const IDLE_SECONDS = 3

export async function* start(bench: Bench) {
  bench.progress.step('start and memory')
  const { first, memory } = await startsOn(bench, await createDatabase(bench, 'SQLite', 1000))
  yield atMost('first response after npm start', first, 500, 'ms')
  yield atMost(`memory, idle for ${IDLE_SECONDS} s after the first response`, memory, 120, 'MiB')
}

/** Starts it repeatedly: milliseconds until a signed-in client has a response, and MiB in the idle time after it. */
export async function startsOn(bench: Bench, database: Database) {
  const firsts: number[] = []
  const memories: number[] = []
  const [headers = {}] = await signedInUser(database)
  // The first start may have to fill the compile cache for the others.
  for (let turn = 0; turn <= bench.rounds; turn++) {
    bench.progress.now(`start ${turn} of ${bench.rounds}`)
    const began = performance.now()
    await using portico = await startPortico(database)
    const { status } = await fetch(`${portico.url}/api/user-details`, { headers })
    const took = performance.now() - began
    if (status !== 200) throw new Error(`the first response was ${status}`)
    if (turn === 0) continue
    firsts.push(took)
    await setTimeout(IDLE_SECONDS * 1000)
    memories.push(await residentMemory(portico.pid))
  }
  const [first, memory] = [median(firsts), median(memories)]
  bench.progress.found(`first response ${count(first)} ms, memory ${count(memory)} MiB`)
  return { first, memory }
}

async function signedInUser(database: Database): Promise<Headers[]> {
  await using portico = await startPortico(database)
  return await signedInAtPortico(portico, peopleIn(database, 1, 'readers'))
}
