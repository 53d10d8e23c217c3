import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { get } from '../support/api.ts'
import { createNamedPipe, type NamedPipe } from '../support/child.ts'
import { cleanUp } from '../support/clean-up.ts'
import { type PorticoProcess, startProcess, untilReady } from '../support/process.ts'
import { exchange, head, statusesIn } from '../support/raw-http.ts'
import { freshDatabase } from '../support/service.ts'
import { eventually } from '../support/site.ts'

const MODES: Record<string, Record<string, string>> = {
  development: {},
  production: {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    BASE_URL: 'https://portico.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
    RATE_LIMITS: 'off',
    DRAIN_SECONDS: '0',
  },
}
// Each line of the log is at least this long: longer paths are cut. Together they exceed the buffer and the pipe.
const LONG_PATH = `/${'x'.repeat(490)}`
const REQUESTS = 9_000
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024
const PIPE_BYTES = 64 * 1024

async function startWith(t: TestContext, mode: string, stdout: number, env = {}): Promise<PorticoProcess> {
  const database = await freshDatabase('sqlite')
  cleanUp(t, () => database.drop())
  const portico = await startProcess(t, { ...database.env, ...MODES[mode], ...env }, undefined, stdout)
  cleanUp(t, () => portico.stop('SIGKILL'))
  await untilReady(portico)
  return portico
}

const PIPELINED = 50
const LINES: [string, string] = [`GET ${LONG_PATH} HTTP/1.1`, 'Host: localhost']
const BATCH = head(...LINES).repeat(PIPELINED - 1) + head(...LINES, 'Connection: close')

/** Sends requests whose log lines are long, many pipelined on each connection, and checks that each gets a response. */
async function flood(portico: PorticoProcess, requests = REQUESTS): Promise<void> {
  for (let sent = 0; sent < requests; sent += PIPELINED) {
    assert.deepEqual(statusesIn(await exchange(portico, [BATCH])), Array(PIPELINED).fill(404))
  }
}

/** Reads until the log has reported the number of dropped lines and has no more lines. */
async function readAll(pipe: NamedPipe): Promise<{ lines: number; dropped: number; bytes: number }> {
  let [lines, dropped, bytes, rest] = [0, 0, 0, '']
  const deadline = Date.now() + 90_000
  while (lines + dropped < REQUESTS) {
    assert.ok(Date.now() < deadline, `only ${lines} lines and ${dropped} dropped ones`)
    const more = pipe.read()
    if (!more) await setTimeout(5)
    bytes += more.length
    const text = rest + more
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    for (const line of text.slice(0, end).split('\n')) {
      if (line.includes(LONG_PATH)) lines += 1
      dropped += Number(/(\d+) log lines were dropped/.exec(line)?.[1] ?? 0)
    }
  }
  return { lines, dropped, bytes }
}

for (const mode of Object.keys(MODES)) {
  describe(`stdout in ${mode}`, () => {
    it('that is an unread pipe delays no request and no shutdown, and dropped lines are counted', async (t) => {
      const pipe = createNamedPipe(t)
      const portico = await startWith(t, mode, pipe.writeEnd)
      await flood(portico)
      const { lines, dropped, bytes } = await readAll(pipe)
      assert.equal(lines + dropped, REQUESTS)
      assert.ok(dropped > 0)
      assert.ok(bytes < MAX_BUFFERED_BYTES + PIPE_BYTES + 20_000, `${bytes} bytes were kept`)

      // More than the pipe can buffer.
      await flood(portico, 1_000)
      assert.equal(await portico.stop(), 0)
    })

    it('that is a pipe whose reader has exited, as with `| head -1`, has no effect', async (t) => {
      const pipe = createNamedPipe(t)
      const portico = await startWith(t, mode, pipe.writeEnd)
      pipe.closeReader()
      for (let round = 0; round < 3; round++) assert.equal((await get(portico, '/healthz')).status, 200)
      assert.equal(await portico.stop(), 0)
    })

    it('that is not read delays no shutdown of several workers, also after one of them was replaced', async (t) => {
      const pipe = createNamedPipe(t)
      const portico = await startWith(t, mode, pipe.writeEnd, { WORKERS: '2' })
      let text = ''
      while (!/worker 2 is process \d+/.test(text)) {
        text += pipe.read()
        await setTimeout(5)
      }
      await flood(portico, 1_000)
      const pid = Number(/worker 2 is process (\d+)/.exec(text)?.[1])
      process.kill(pid, 'SIGKILL')
      // The process exists until the primary process has noticed its end (wait(2)). During a shutdown, it would be a failure.
      await eventually(async () => assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }))
      // The connections of a killed worker break, also those assigned to it before the primary process notices its end.
      await eventually(() => flood(portico, 200))
      assert.equal(await portico.stop(), 0)
    })

    it('that is a full disk has no effect', async (t) => {
      const full = openSync('/dev/full', 'w')
      cleanUp(t, () => closeSync(full))
      const portico = await startWith(t, mode, full)
      for (let round = 0; round < 3; round++) assert.equal((await get(portico, '/healthz')).status, 200)
      assert.equal(await portico.stop(), 0)
    })
  })
}
