import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'

const LONGEST = 60_000
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('npm run dev', () => {
  it('serves, and leaves no process behind when npm is told to end', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-dev-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const env = { PATH: process.env.PATH, PORT: String(await freePort()), DATA_DIR: folder }
    const npm = spawn('npm', ['run', 'dev'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    t.after(() => endGroup(npm.pid))
    // Every process that it started writes to this, so it ends when the last of them has.
    const everybodyIsGone = once(npm.stdout, 'end', { signal: AbortSignal.timeout(LONGEST) })
    let output = ''
    for await (const text of npm.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      output += text
      if (output.includes('Portico is ready at')) break
    }
    npm.stdout.resume()
    assert.match(output, /Portico is ready at/)
    npm.kill('SIGTERM')
    await everybodyIsGone
  })
})

/** Whoever is left of a process and those it started. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader) process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody is left, as it should be.
  }
}
