import assert from 'node:assert/strict'
import { closeSync, openSync } from 'node:fs'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { cleanUp } from '../support/clean-up.ts'
import { createNamedPipe, type NamedPipe } from '../support/named-pipe.ts'
import { type PorticoProcess, startProcess, untilReady } from '../support/process.ts'
import { freshDatabase } from '../support/service.ts'

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
// Each line of the log is this long at least: longer paths are cut. Together they are more than the buffer and the pipe hold.
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

/** Sends requests whose log lines are long, and sees all of them answered. */
async function flood({ url }: PorticoProcess, requests = REQUESTS): Promise<void> {
  let left = requests
  const client = async () => {
    while (left-- > 0) {
      const answer = await fetch(url + LONG_PATH)
      assert.equal(answer.status, 404)
      await answer.text()
    }
  }
  await Promise.all(Array.from({ length: 10 }, client))
}

/** Reads until the log tells how many lines were dropped and has no more to tell. */
async function readAll(pipe: NamedPipe): Promise<{ lines: number; dropped: number; bytes: number }> {
  let text = ''
  const dropped = () =>
    [...text.matchAll(/(\d+) log lines were dropped/g)].reduce((sum, [, lines]) => sum + Number(lines), 0)
  const lines = () => text.split(LONG_PATH).length - 1
  const deadline = Date.now() + 30_000
  while (lines() + dropped() < REQUESTS) {
    assert.ok(Date.now() < deadline, `only ${lines()} lines and ${dropped()} dropped ones`)
    const more = pipe.read()
    text += more
    if (!more) await setTimeout(5)
  }
  return { lines: lines(), dropped: dropped(), bytes: text.length }
}

for (const mode of Object.keys(MODES)) {
  describe(`stdout in ${mode}`, () => {
    it('that is a pipe nobody reads holds up no request and no stop, and dropped lines are counted', async (t) => {
      const pipe = createNamedPipe(t)
      const portico = await startWith(t, mode, pipe.writeEnd)
      await flood(portico)
      const { lines, dropped, bytes } = await readAll(pipe)
      assert.equal(lines + dropped, REQUESTS)
      assert.ok(dropped > 0)
      assert.ok(bytes < MAX_BUFFERED_BYTES + PIPE_BYTES + 20_000, `${bytes} bytes were kept`)

      await flood(portico)
      assert.equal(await portico.stop(), 0)
    })

    it('that is a pipe whose reader is gone, as with `| head -1`, changes nothing', async (t) => {
      const pipe = createNamedPipe(t)
      const portico = await startWith(t, mode, pipe.writeEnd)
      pipe.closeReader()
      for (let round = 0; round < 3; round++) assert.equal((await fetch(`${portico.url}/healthz`)).status, 200)
      assert.equal(await portico.stop(), 0)
    })

    it('that nobody reads holds up no stop of several workers, also after one of them was replaced', async (t) => {
      const pipe = createNamedPipe(t)
      const portico = await startWith(t, mode, pipe.writeEnd, { WORKERS: '2' })
      let text = ''
      while (!/worker 2 is process \d+/.test(text)) {
        text += pipe.read()
        await setTimeout(5)
      }
      await flood(portico, 1_000)
      process.kill(Number(/worker 2 is process (\d+)/.exec(text)?.[1]), 'SIGKILL')
      await flood(portico, 200)
      assert.equal(await portico.stop(), 0)
    })

    it('that is a full disk changes nothing', async (t) => {
      const full = openSync('/dev/full', 'w')
      cleanUp(t, () => closeSync(full))
      const portico = await startWith(t, mode, full)
      for (let round = 0; round < 3; round++) assert.equal((await fetch(`${portico.url}/healthz`)).status, 200)
      assert.equal(await portico.stop(), 0)
    })
  })
}
