import assert from 'node:assert/strict'
import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { cleanUp } from '../support/clean-up.ts'
import { type PorticoProcess, startReady } from '../support/process.ts'
import { freshDatabase } from '../support/service.ts'

// Only keeps a test from hanging. The log shows which workers were replaced at once.
const RECOVERY_LIMIT_MS = 60_000
// A process that leaves a rejected promise unhandled on SIGUSR2.
const ON_SIGNAL = 'process.on("SIGUSR2", () => { Promise.reject(new Error("stray rejection")) })'
const STRAY_REJECTION = `--import=data:text/javascript,${encodeURIComponent(ON_SIGNAL)}`

async function start(t: TestContext, settings: Record<string, string>): Promise<PorticoProcess> {
  const database = await freshDatabase('sqlite')
  cleanUp(t, () => database.drop())
  const content = join(database.env.DATA_DIR ?? '', 'content')
  await mkdir(content)
  const portico = await startReady(t, { ...database.env, CONTENT_DIR: content, ...settings })
  cleanUp(t, () => portico.stop('SIGKILL'))
  return portico
}

function workersOf(portico: PorticoProcess): number[] {
  return [...portico.output().matchAll(/worker \d+ is process (\d+)/g)].map(([, pid]) => Number(pid)).filter(isAlive)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Kills every worker and resolves when they have ended. */
async function killWorkers(portico: PorticoProcess): Promise<void> {
  const workers = workersOf(portico)
  for (const pid of workers) process.kill(pid, 'SIGKILL')
  while (workers.some(isAlive)) await setTimeout(5)
}

async function untilServed({ url }: PorticoProcess): Promise<void> {
  const deadline = Date.now() + RECOVERY_LIMIT_MS
  const isServed = () =>
    fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isServed())) {
    assert.ok(Date.now() < deadline, `not served for ${RECOVERY_LIMIT_MS} ms`)
    await setTimeout(10)
  }
}

describe('workers that crash', () => {
  it('are replaced at once when none is left, however often that happens', async (t) => {
    const portico = await start(t, { WORKERS: '2' })
    await portico.logged('2: ● Listening on')
    for (let round = 0; round < 5; round++) {
      await killWorkers(portico)
      await untilServed(portico)
    }
    assert.match(portico.output(), /another one starts at once/)
    assert.equal(await portico.stop(), 0)
  })

  it('are replaced with backoff when they cannot start, until they can', async (t) => {
    const portico = await start(t, { WORKERS: '2' })
    const [, folder = ''] = /SQLite in (.+)\/portico\.db/.exec(portico.output()) ?? []
    const content = join(folder, 'content')
    await rename(content, `${content}-away`)
    await symlink(content, content)
    await killWorkers(portico)
    const longPause = /another one starts in (?:[2-9]|\d\d) s/
    await portico.logged(longPause)
    // Each of the two slots has two shorter pauses, and the service without a worker has four.
    const [before = ''] = portico.output().split(longPause)
    const ends = before.split('has ended (exit code 1)').length - 1
    assert.ok(ends <= 8, `${ends} workers were started in vain`)
    await rm(content)
    await rename(`${content}-away`, content)
    await untilServed(portico)
    assert.equal(await portico.stop(), 0)
  })

  it('are replaced at once when one gets a SIGTERM', async (t) => {
    const portico = await start(t, { WORKERS: '2' })
    await portico.logged('2: ● Listening on')
    const [first = 0] = workersOf(portico)
    process.kill(first, 'SIGTERM')
    await portico.logged('worker 1 has ended (exit code 0): another one starts at once')
    await portico.logged('3: ● Listening on')
  })

  it('end when the primary process is killed', async (t) => {
    const portico = await start(t, { WORKERS: '2' })
    const workers = workersOf(portico)
    assert.equal(await portico.stop('SIGKILL'), 'SIGKILL')
    while (workers.some(isAlive)) await setTimeout(5)
  })
})

describe('an unhandled rejection', () => {
  it('ends the process with 1 and is logged', async (t) => {
    const portico = await start(t, { NODE_OPTIONS: STRAY_REJECTION })
    assert.equal(await portico.stop('SIGUSR2'), 1)
    assert.match(portico.output(), /uncaught exception: the process ends\n.*Error: stray rejection/)
  })

  it('ends a worker, which is replaced', async (t) => {
    const portico = await start(t, { NODE_OPTIONS: STRAY_REJECTION, WORKERS: '2' })
    await portico.logged('2: ● Listening on')
    process.kill(workersOf(portico)[0] ?? 0, 'SIGUSR2')
    await portico.logged('worker 1 has ended (exit code 1): another one starts in 0.5 s')
    await portico.logged('3: ● Listening on')
    assert.equal(await portico.stop(), 0)
  })
})
