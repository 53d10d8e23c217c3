import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startChild } from '../support/child.ts'
import { temporaryFolder } from '../support/clean-up.ts'
import { freePort } from '../support/free-port.ts'

const WAIT_LIMIT_MS = 60_000
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('npm run dev', () => {
  it('serves, and leaves no process behind when npm is stopped', async (t) => {
    const env = { PATH: process.env.PATH, PORT: String(await freePort()), DATA_DIR: await temporaryFolder(t) }
    const npm = startChild(t, 'npm', ['run', 'dev'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] })
    assert.ok(npm.stdout)
    // Every process that npm started writes to this pipe, so it closes when the last of them has ended.
    const allHaveEnded = once(npm.stdout, 'end', { signal: AbortSignal.timeout(WAIT_LIMIT_MS) })
    let output = ''
    for await (const text of npm.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      output += text
      if (output.includes('Portico is ready at')) break
    }
    npm.stdout.resume()
    assert.match(output, /Portico is ready at/)
    npm.kill('SIGTERM')
    await allHaveEnded
  })
})
