import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { startPortico } from '../contenders/start-portico.ts'
import { createDatabase, type Database } from '../databases/database.ts'
import { peopleIn, type RequestHeaders, signedInAtPortico } from '../databases/people.ts'
import { count, median } from '../measure/figures.ts'
import { residentMemory } from '../measure/proc.ts'
import { atMost } from '../measure/rows.ts'

const ROOT = join(import.meta.dirname, '../..')
const SHORT_IDLE_SECONDS = 3
// V8 returns the memory that the start has used after some ten seconds without work.
const IDLE_SECONDS = 60

export async function* start(bench: Bench) {
  const source = await createDatabase(bench, 'SQLite', 1000)
  bench.progress.step('start and memory, from the source')
  const { first } = await startsOn(bench, source)
  yield atMost('first response after npm start, from the source', first, 500, 'ms')
  yield atMost(`memory from the source, idle for ${IDLE_SECONDS} s`, await idleMemory(source), 120, 'MiB')

  bench.progress.step('start and memory of the package')
  execFileSync('npm', ['run', 'build'], { cwd: ROOT })
  // The bundle is below the node_modules of this folder, which has the packages that the bundle imports.
  const built = { ...source, entry: 'build/portico/dist/main.js' }
  const starts = await startsOn(bench, built)
  yield atMost('first response of the package', starts.first, 300, 'ms')
  yield atMost(`memory of the package, idle for ${IDLE_SECONDS} s`, await idleMemory(built), 110, 'MiB')
}

async function idleMemory(database: Database): Promise<number> {
  await using portico = await startPortico(database)
  await fetch(portico.url)
  await setTimeout(IDLE_SECONDS * 1000)
  return await residentMemory(portico.pid)
}

/** Starts it repeatedly: milliseconds until a signed-in client has a response, and MiB shortly after it. */
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
    await setTimeout(SHORT_IDLE_SECONDS * 1000)
    memories.push(await residentMemory(portico.pid))
  }
  const [first, memory] = [median(firsts), median(memories)]
  bench.progress.found(`first response ${count(first)} ms, memory ${count(memory)} MiB`)
  return { first, memory }
}

async function signedInUser(database: Database): Promise<RequestHeaders[]> {
  await using portico = await startPortico(database)
  return await signedInAtPortico(portico, peopleIn(database, 1, 'readers'))
}
