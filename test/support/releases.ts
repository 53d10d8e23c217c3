import assert from 'node:assert/strict'
import { once } from 'node:events'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram, startChild } from './child.ts'
import { type CleanedUp, temporaryFolder } from './clean-up.ts'
import { freePort } from './free-port.ts'
import { eventually } from './site.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The source of a released version from its tag, with the packages of this version, which include those it needs. */
export async function checkOutRelease(test: CleanedUp, tag: string): Promise<string> {
  const folder = await temporaryFolder(test)
  const archive = join(folder, 'release.tar')
  await runProgram(test, 'git', ['-C', ROOT, 'archive', '--output', archive, tag]).catch((error) => {
    throw new Error(`This clone has no tag ${tag}: run "git fetch --tags" (${error.message.trim()})`)
  })
  await runProgram(test, 'tar', ['-C', folder, '-xf', archive])
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

export interface RunningRelease {
  url: string
  output(): string
  stop(): Promise<void>
}

/** The service of a released version, when it is ready. */
export async function startRelease(
  test: CleanedUp,
  folder: string,
  env: Record<string, string>,
): Promise<RunningRelease> {
  const port = await freePort()
  // Versions without commands ignore `serve`.
  const child = startChild(test, process.execPath, [join(folder, 'src/main.js'), 'serve'], {
    cwd: env.DATA_DIR,
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => assert.equal((await fetch(`${url}/readyz`)).status, 200, output))
  return {
    url,
    output: () => output,
    async stop() {
      const ended = once(child, 'close')
      child.kill()
      await ended
    },
  }
}
