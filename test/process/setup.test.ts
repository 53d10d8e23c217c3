import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runProgram, startChild, untilPrinted } from '../support/child.ts'
import { temporaryFolder } from '../support/clean-up.ts'

const SETUP = fileURLToPath(new URL('../../scripts/setup.mjs', import.meta.url))
const LOCK = '.setup-lock'

/** A folder with the script and a lockfile. Its packages are archives in the folder, so npm needs no registry. */
async function checkout(t: TestContext, packages: string[]): Promise<string> {
  const folder = await temporaryFolder(t)
  mkdirSync(join(folder, 'scripts'))
  copyFileSync(SETUP, join(folder, 'scripts/setup.mjs'))
  for (const name of packages) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify({ name, version: '1.0.0' }))
    await npm(t, folder, ['pack', `./${name}`])
  }
  await dependOn(t, folder, packages)
  return folder
}

/** Writes package.json and package-lock.json, and installs nothing. */
async function dependOn(t: TestContext, folder: string, packages: string[]): Promise<void> {
  const dependencies = Object.fromEntries(packages.map((name) => [name, `file:${name}-1.0.0.tgz`]))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'checkout', version: '1.0.0', dependencies }))
  await npm(t, folder, ['install', '--package-lock-only', '--offline'])
}

function npm(t: TestContext, folder: string, words: string[]): Promise<string> {
  return runProgram(t, 'npm', [...words, '--no-audit', '--no-fund'], { cwd: folder })
}

function setUp(t: TestContext, folder: string): Promise<string> {
  return runProgram(t, process.execPath, [join(folder, 'scripts/setup.mjs')])
}

describe('the set-up before npm start and npm test', () => {
  it('installs the packages once when two commands are started together', async (t) => {
    const folder = await checkout(t, ['one'])
    // Both wait for this lock, so neither can be over before the other starts.
    writeFileSync(join(folder, LOCK), '')
    const children = [1, 2].map(() =>
      startChild(t, process.execPath, [join(folder, 'scripts/setup.mjs')], { stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    const ended = children.map((child) => once(child, 'close'))
    const printed = children.map((child) => text(child.stdout as Readable))
    await Promise.all(children.map((child) => untilPrinted(child, /^Waiting for another command/)))
    rmSync(join(folder, LOCK))
    assert.deepEqual(
      (await Promise.all(ended)).map(([code]) => code),
      [0, 0],
    )
    const installing = (await Promise.all(printed)).join('').match(/Installing .*/g)
    assert.deepEqual(installing, ['Installing 1 package from the npm registry …'])
    assert.ok(existsSync(join(folder, 'node_modules/one/package.json')))
    assert.ok(!existsSync(join(folder, LOCK)))
  })

  it('ignores the lock of a command that was killed', async (t) => {
    const folder = await checkout(t, ['one'])
    const lock = join(folder, LOCK)
    writeFileSync(lock, '')
    const aMinuteAgo = new Date(Date.now() - 60_000)
    utimesSync(lock, aMinuteAgo, aMinuteAgo)
    assert.match(await setUp(t, folder), /^Installing 1 package/)
    assert.ok(!existsSync(lock))
  })

  it('adds missing packages without removing those in use, or writing the lockfile', async (t) => {
    const folder = await checkout(t, ['one', 'two'])
    const wanted = ['package.json', 'package-lock.json'].map((name) => join(folder, name))
    const contents = wanted.map((file) => readFileSync(file))
    await dependOn(t, folder, ['one'])
    await setUp(t, folder)
    const inUse = join(folder, 'node_modules/one/in-use')
    writeFileSync(inUse, '')
    for (const [index, file] of wanted.entries()) writeFileSync(file, contents[index] as Buffer)
    assert.match(await setUp(t, folder), /^Installing 1 package/)
    assert.ok(existsSync(join(folder, 'node_modules/two/package.json')))
    assert.ok(existsSync(inUse))
    assert.deepEqual(
      wanted.map((file) => readFileSync(file)),
      contents,
    )
    assert.equal(await setUp(t, folder), '')
  })
})
