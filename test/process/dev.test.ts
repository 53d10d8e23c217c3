import assert from 'node:assert/strict'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startChild } from '../support/child.ts'
import { temporaryFolder } from '../support/clean-up.ts'
import { freePort } from '../support/local-servers.ts'

const WAIT_LIMIT_MS = 60_000
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('npm run dev', () => {
  it('serves, and leaves no process behind when npm is stopped', async (t) => {
    const env = { PATH: process.env.PATH, PORT: String(await freePort()), DATA_DIR: await temporaryFolder(t) }
    const npm = startChild(t, 'npm', ['run', 'dev'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] })
    assert.ok(npm.stdout)
    // Every process that npm started writes to this pipe, so it closes when the last of them has ended.
    const allHaveEnded = once(npm.stdout, 'end', { signal: AbortSignal.timeout(WAIT_LIMIT_MS) })
    let output = await outputOf(npm.stdout, /Portico is ready at/)
    npm.stdout.on('data', (text) => {
      output += text
    })
    // Hashing and highlighting are done by threads, in which Node reports to `node --watch`.
    const names = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com' }
    const person = { ...names, password: 'Analytical-1', confirmPassword: 'Analytical-1' }
    const registered = await fetch(`http://localhost:${env.PORT}/api/create-account`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(person),
    })
    assert.ok(registered.ok, await registered.text())
    assert.doesNotMatch(output, /could not/)
    npm.kill('SIGTERM')
    await allHaveEnded
  })

  it('restarts when .env is saved, also after a fault in it', async (t) => {
    const folder = await temporaryFolder(t)
    const env = { PATH: process.env.PATH, DATA_DIR: folder, CONTENT_DIR: join(ROOT, 'content') }
    await symlink(join(ROOT, 'src'), join(folder, 'src'))
    const dotEnv = join(folder, '.env')
    const port = `PORT=${await freePort()}`
    await writeFile(dotEnv, `${port}\nLOG_LEVL=info\n`)
    const dev = startChild(t, process.execPath, [join(ROOT, 'scripts/dev.ts')], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    assert.ok(dev.stdout && dev.stderr)
    await outputOf(dev.stderr, /LOG_LEVL in line 2 of \.env is not a setting/)
    await writeFile(dotEnv, `${port}\n`)
    await outputOf(dev.stdout, /Portico is ready at/)
    dev.kill('SIGTERM')
    await once(dev, 'exit', { signal: AbortSignal.timeout(WAIT_LIMIT_MS) })
  })
})

async function outputOf(stream: Readable, expected: RegExp): Promise<string> {
  let output = ''
  for await (const text of stream.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += text
    if (expected.test(output)) break
  }
  stream.resume()
  assert.match(output, expected)
  return output
}
