import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { findChromium, INSTALL_LIMIT_MS } from '../support/browser.ts'
import { descendantsOf, stillRunning } from '../support/child.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { eventually } from '../support/site.ts'

const ROOT = join(import.meta.dirname, '../..')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const [, ...FLAGS] = (scripts['test:file'] ?? '').split(' ')

/** Runs files of bad-files/ as `npm run test:file` does, with other limits. */
async function run(t: TestContext, files: string[], limits: Record<string, string>, ...flags: string[]) {
  const folder = await temporaryFolder(t)
  const paths = files.map((file) => `test/support/bad-files/${file}.ts`)
  const runner = spawn(process.execPath, [...FLAGS, '--test-reporter=spec', ...flags, ...paths], {
    cwd: ROOT,
    // The duration of this test, whatever is wrong with the limits.
    env: { PATH: process.env.PATH, BAD_FILES_FOLDER: folder, TEST_RUN_LIMIT_MINUTES: '2', ...limits },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const closed = once(runner, 'close')
  cleanUp(t, () => {
    if (runner.exitCode === null && runner.signalCode === null) process.kill(-(runner.pid ?? 0), 'SIGKILL')
    return closed
  })
  return {
    runner,
    /** The processes that the files have noted, as soon as there is one. */
    async noted(): Promise<number[]> {
      for (;;) {
        const lines = await readFile(join(folder, 'processes'), 'utf8').catch(() => '')
        if (lines.endsWith('\n')) return lines.trim().split('\n').map(Number)
        assert.ok(runner.exitCode === null && runner.signalCode === null, 'nothing was noted')
        await setTimeout(20)
      }
    },
    /** The exit code or signal, and all output. */
    async end() {
      const [output, errors, [code, signal]] = await Promise.all([text(runner.stdout), text(runner.stderr), closed])
      return { ending: code ?? signal, output: output + errors }
    },
  }
}

function assertGone(pids: number[]): Promise<void> {
  assert.ok(pids.length > 0)
  return eventually(async () => assert.deepEqual(stillRunning(pids), []))
}

/** A PostgreSQL server works in its data folder. */
function databaseFoldersOf(pids: number[]): string[] {
  const folders = new Set(pids.map((pid) => readlinkSync(`/proc/${pid}/cwd`)))
  return [...folders].filter((folder) => folder.includes('portico-postgres-'))
}

describe('a test run', { concurrency: 2 }, () => {
  // Here, where there is time for the installation, and not in the run under test.
  before(async () => void (await findChromium()), { timeout: INSTALL_LIMIT_MS })

  it('ends and fails, whatever part of it does not end', async (t) => {
    const files = ['test-never-ends', 'hook-never-ends', 'process-stays-alive', 'thread-is-held', 'exits-beside-child']
    const limits = { TEST_FILE_LIMIT_MINUTES: '0.5', TEST_EXIT_LIMIT_SECONDS: '2' }
    const { end, noted } = await run(t, files, limits, '--test-timeout=2000', '--test-concurrency=5')
    const { ending, output } = await end()
    assert.equal(ending, 1, output)
    assert.match(output, /✖ never ends .*\n✔ comes after it/)
    assert.match(output, /✔ passes .*\n✖ a suite /)
    assert.match(output, /test timed out after 2000ms/)
    assert.match(output, /✔ leaves a timer /)
    assert.match(output, /the process did not end within 2000 ms: .*Timeout/)
    assert.match(output, /took more than 0\.5 minutes and is killed/)
    for (const file of ['process-stays-alive', 'thread-is-held', 'exits-beside-child'])
      assert.match(output, new RegExp(`✖ \\S*${file}\\.ts`), output)
    await assertGone(await noted())
  })

  for (const whom of ['a file', 'the runner']) {
    it(`leaves no process and no database behind when ${whom} is killed`, async (t) => {
      const { runner, noted, end } = await run(t, ['waits-beside-children'], {})
      const ended = end()
      const [file = 0] = await noted()
      const pids = descendantsOf(runner.pid ?? 0)
      assert.ok(pids.includes(file))
      // The service and two workers, a browser and its renderer, two supervisors, and a database server.
      assert.ok(pids.length > 8, `${pids.length} processes`)
      const folders = databaseFoldersOf(pids)
      assert.ok(folders.length > 0)
      process.kill(whom === 'a file' ? file : (runner.pid ?? 0), 'SIGKILL')
      const { ending, output } = await ended
      assert.equal(ending, whom === 'a file' ? 1 : 'SIGKILL')
      if (whom === 'a file') assert.match(output, /✖ \S*waits-beside-children\.ts/)
      await assertGone(pids)
      await eventually(async () => assert.deepEqual(folders.filter(existsSync), []))
    })
  }

  it('ends at its own limit with all its files', async (t) => {
    const { runner, end, noted } = await run(t, ['thread-is-held'], { TEST_RUN_LIMIT_MINUTES: '0.5' })
    const { output } = await end()
    assert.notEqual(runner.exitCode, 0)
    assert.match(output, /took more than 0\.5 minutes and is killed/)
    await assertGone(await noted())
  })
})
