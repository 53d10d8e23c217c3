import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'acorn'
import { runProgram, startChild } from '../support/child.ts'

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))
const MESSAGE =
  /^Portico needs Node 26 or later, and this is Node \d+\.\d+\.\d+\. Run "npm start" in the folder of Portico: .* https:\/\/nodejs\.org\n$/

async function assertRefusedBy(t: TestContext, program: string, options: string[] = []): Promise<void> {
  const child = startChild(t, program, [...options, MAIN], { stdio: ['ignore', 'pipe', 'pipe'] })
  const { stdout, stderr } = child
  assert.ok(stdout && stderr)
  const [[code], printed, errors] = await Promise.all([once(child, 'close'), text(stdout), text(stderr)])
  assert.match(errors, MESSAGE)
  assert.deepEqual([code, printed], [1, ''])
}

/** The `node` of this machine outside of this folder: the installed Node starts npm. */
function installedNodes(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return [...new Set(folders.map((folder) => join(folder, 'node')))].filter((file) => existsSync(file))
}

describe('main.js on an older Node', () => {
  it('prints the required Node and how to get it, with every installed Node', async (t) => {
    for (const program of installedNodes()) {
      const version = await runProgram(t, program, ['--version'])
      if (Number.parseInt(version.slice(1), 10) < 26) await assertRefusedBy(t, program)
    }
  })

  it('prints the same with any version before 26', async (t) => {
    const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'25.9.9'}})`
    await assertRefusedBy(t, process.execPath, ['--import', older])
  })

  it('has only syntax that Node 12 supports', () => {
    // ECMAScript 2020 added import(), which Node 12 has already. The rest of that edition came with Node 14.
    const source = readFileSync(MAIN, 'utf8')
    parse(source, { ecmaVersion: 2020, sourceType: 'module' })
    parse(source.replace(/import\('[^']*'\)/, 'null'), { ecmaVersion: 2019, sourceType: 'script' })
  })
})
