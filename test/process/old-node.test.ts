import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'acorn'
import { runProgram, startChild } from '../support/child.ts'
import { temporaryFolder } from '../support/clean-up.ts'

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))
const OLDER = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'25.9.9'}})`
const MESSAGE =
  /^Portico needs Node 26 or later, and this is Node \d+\.\d+\.\d+\. .* In a clone of the repository, run npm install first\. .* https:\/\/nodejs\.org\n$/

/** A copy of main.js in a folder where no Node is installed with it. */
async function copyWithoutPackages(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  const copy = join(folder, 'main.js')
  copyFileSync(MAIN, copy)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return copy
}

async function assertRefusedBy(t: TestContext, program: string, options: string[] = []): Promise<void> {
  const child = startChild(t, program, [...options, await copyWithoutPackages(t), 'version'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { stdout, stderr } = child
  assert.ok(stdout && stderr)
  const [[code], printed, errors] = await Promise.all([once(child, 'close'), text(stdout), text(stderr)])
  assert.match(errors, MESSAGE)
  assert.deepEqual([code, printed], [1, ''])
}

/** The `node` of this machine outside of this folder, if it is older: the installed Node starts npm. */
async function olderNodes(t: TestContext): Promise<string[]> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const programs = [...new Set(folders.map((folder) => join(folder, 'node')))].filter((file) => existsSync(file))
  const versions = await Promise.all(programs.map((program) => runProgram(t, program, ['--version'])))
  return programs.filter((_, index) => Number.parseInt(versions[index]?.slice(1) ?? '', 10) < 26)
}

describe('main.js on an older Node', () => {
  it('runs the Node that npm has installed with it', async (t) => {
    for (const program of await olderNodes(t)) {
      assert.match(await runProgram(t, program, [MAIN, 'version']), /Node 26\./)
    }
    assert.match(await runProgram(t, process.execPath, ['--import', OLDER, MAIN, 'version']), /Node 26\./)
  })

  it('has one thread of V8 less than cores in that Node, and at least one', async (t) => {
    const folder = await temporaryFolder(t)
    // The module that is loaded first in both processes prints the threads of the one that the command started.
    const printThreads = join(folder, 'print-threads.mjs')
    writeFileSync(
      printThreads,
      `import { readdirSync, readFileSync } from 'node:fs'
       const names = readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim())
       if (process.env.PORTICO_LAUNCHER) console.log(names.filter((name) => name === 'node-V8Worker').length + ' workers of V8')`,
    )
    const env = { NODE_OPTIONS: `--import ${printThreads}` }
    const printed = await runProgram(t, process.execPath, ['--import', OLDER, MAIN, 'version'], { env })
    assert.match(printed, new RegExp(`^${Math.max(1, availableParallelism() - 1)} workers of V8\n`))
  })

  it('ends with the exit code of that Node', async (t) => {
    const child = startChild(t, process.execPath, ['--import', OLDER, MAIN, 'bakup'], { stdio: 'ignore' })
    assert.deepEqual(await once(child, 'close'), [2, null])
  })

  it('ends with the shell that npm has started it through', async (t) => {
    // The second command keeps the shell from becoming the first one (exec).
    const script = '"$NODE" --import "$OLDER" "$MAIN" serve; true'
    const DATA_DIR = await temporaryFolder(t)
    const shell = startChild(t, 'sh', ['-c', script], {
      cwd: DATA_DIR,
      env: { NODE: process.execPath, OLDER, MAIN, DATA_DIR, PORT: '0', npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    assert.ok(shell.stdout)
    let output = ''
    for await (const printed of shell.stdout.setEncoding('utf8')) {
      output += printed
      // No signal reaches the processes below the shell. `stdout` ends when all of them have ended.
      if (output.includes('Portico is ready at')) shell.kill('SIGKILL')
    }
    assert.match(output, /SIGTERM: finishing what is under way[\s\S]* stopped\n$/)
  })

  it('prints the required Node and how to get it where none is installed with it', async (t) => {
    for (const program of await olderNodes(t)) await assertRefusedBy(t, program)
    await assertRefusedBy(t, process.execPath, ['--import', OLDER])
  })

  it('has only syntax that Node 12 supports', () => {
    // ECMAScript 2020 added import() and import.meta, which Node 12 has already. The rest of that edition came with
    // Node 14.
    const source = readFileSync(MAIN, 'utf8')
    parse(source, { ecmaVersion: 2020, sourceType: 'module', allowHashBang: true })
    const older = source.replace(/import\('[^']*'\)/g, 'null').replace(/import\.meta\.url/g, 'null')
    parse(older, { ecmaVersion: 2019, sourceType: 'script', allowHashBang: true })
  })
})
