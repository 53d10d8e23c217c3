import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type ApiResponse, assertRefused, assertSucceeded, get, newEmail, post, registration } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startSmtpSink } from '../support/mail.ts'
import { startQuiet } from '../support/process.ts'
import { createKeptAccount } from './account-runs.ts'

/** A file system of eight megabytes. Only root on Linux can create one. */
function smallDisk(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'portico-small-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder])
  cleanUp(t, () => {
    execFileSync('umount', [folder])
    rmdirSync(folder)
  })
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a')
      try {
        for (;;) writeSync(file, Buffer.alloc(4096))
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
      } finally {
        closeSync(file)
      }
    },
    empty: () => rmSync(ballast),
  }
}

// On PostgreSQL the disk of the database server is full. Its error (53100) is in the class of errors that the service
// maps to 503, and its own recovery is not ours to test.
describe('a full disk under SQLite', () => {
  it('makes writes fail with 503 while reads succeed, and accepts writes again when there is room', async (t) => {
    const sink = await startSmtpSink()
    cleanUp(t, () => sink.down())
    const disk = smallDisk(t)
    const portico = await startQuiet(t, { DATA_DIR: disk.folder, SMTP_URL: sink.url })
    const person = await createKeptAccount(portico, sink)
    let bio = ''

    /** A bio long enough to need new pages, acknowledged or not. */
    async function write(text: string): Promise<ApiResponse> {
      const response = await post(portico, '/api/user-details', { bio: text }, { as: person })
      if (response.status === 200) bio = text
      else assertRefused(response, 503, 'Service temporarily unavailable')
      return response
    }

    for (let round = 0; round < 3; round++) {
      disk.fill()
      let refused = 0
      for (let tries = 0; refused < 20; tries++) {
        assert.ok(tries < 2000, 'the disk is never full')
        refused = (await write(`${round}.${tries} `.padEnd(500, 'x'))).status === 503 ? refused + 1 : 0
        assertSucceeded(await get(portico, '/api/user-details', { as: person }))
      }
      assertRefused(await post(portico, '/api/create-account', registration()), 503)
      assertRefused(await post(portico, '/api/forgot-password', { email: person.email }), 503)
      // No mail server listens.
      assertSucceeded(await post(portico, '/api/forgot-password', { email: newEmail() }))
      assertSucceeded(await get(portico, '/api/sessions', { as: person }))
      assert.equal((await get(portico, '/feed.xml')).status, 200)

      disk.empty()
      const deadline = Date.now() + 5000
      while ((await write(`back ${round}`)).status !== 200) {
        assert.ok(Date.now() < deadline, 'no write within five seconds')
        await setTimeout(20)
      }
      const { body } = await get(portico, '/api/user-details', { as: person })
      assert.equal(body.data.user.bio, bio)
    }

    await createKeptAccount(portico, sink)
    assert.equal(await portico.stop(), 0)
    const database = new DatabaseSync(join(disk.folder, 'portico.db'))
    assert.deepEqual({ ...database.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    database.close()
  })
})
