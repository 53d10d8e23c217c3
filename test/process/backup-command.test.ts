import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tablesInBackup } from '../../src/backup/contents.ts'
import { MIGRATION_NAMES } from '../../src/database/migrate.ts'
import { someone } from '../support/accounts.ts'
import { runProgram, startChild } from '../support/child.ts'
import { suiteCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { ensureInstalled } from '../support/install.ts'
import { runPortico } from '../support/process.ts'
import { addApp } from '../support/second-factor.ts'
import { startOn, temporaryDatabase } from '../support/service.ts'
import { rowsIn } from './backups.ts'

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))
const PASSPHRASE = 'correct horse battery'
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64url')

/** Runs a shell command on a pseudo-terminal (script(1)), and types each answer when its question has appeared. */
async function onTerminal(
  t: TestContext,
  command: string,
  answers: [question: string, answer: string][],
  env: Record<string, string> = {},
): Promise<{ code: number; printed: string }> {
  const script = await ensureInstalled('/usr/bin/script', 'bsdutils')
  const child = startChild(t, script, ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, SHELL: '/bin/sh', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const waiting = [...answers]
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    const [question = '', answer = ''] = waiting[0] ?? []
    if (question === '' || !printed.includes(question)) return
    waiting.shift()
    child.stdin?.write(`${answer}\r`)
  })
  const [code] = await once(child, 'close')
  return { code, printed }
}

describe('portico backup and portico restore', () => {
  const suite = suiteCleanUp()
  let env: Record<string, string>
  let folder: string

  before(async () => {
    env = { ...(await temporaryDatabase(suite, 'sqlite')), ENCRYPTION_KEY }
    folder = await temporaryFolder(suite)
    const service = await startOn(env)
    await addApp(service, await someone(service))
    await service.close()
    writeFileSync(join(folder, 'passphrase'), `${PASSPHRASE}\n`)
  })

  it('print a short summary, or JSON', async (t) => {
    const file = join(folder, 'plain')
    const written = await runPortico(t, ['backup', file], { env })
    assert.deepEqual([written.code, written.stderr], [0, ''])
    assert.match(
      written.stdout,
      /^Backup {4}.*\nContent {3}\d+ rows of \d+ tables\nSize {6}\d+ kB, not encrypted\nVerified {2}yes: .*\nTime {6}[\d.]+ s\n$/,
    )
    const again = await runPortico(t, ['backup', file, '--force', '--json'], { env })
    const { rows, bytes, ...rest } = JSON.parse(again.stdout)
    assert.deepEqual([rest.file, rest.isEncrypted, rest.isVerified], [file, false, true])
    assert.equal(rest.tables, (await tablesInBackup(MIGRATION_NAMES)).length)
    assert.equal(bytes, readFileSync(file).length)

    const { DATA_DIR = '' } = await temporaryDatabase(t, 'sqlite')
    const checked = await runPortico(t, ['restore', file, '--dry-run', '--json'], { env: { DATA_DIR } })
    const result = JSON.parse(checked.stdout)
    assert.deepEqual([checked.code, result.isRestored, result.rows], [0, false, rows])
    assert.match(checked.stderr, /^1 authenticator app needs the ENCRYPTION_KEY/)
    const restored = await runPortico(t, ['restore', file], { env: { DATA_DIR, ENCRYPTION_KEY } })
    assert.deepEqual([restored.code, restored.stderr], [0, ''])
    assert.match(restored.stdout, /^Restored {2}.*\nMade {6}20\d\d-.* by Portico \d+\.\d+\.\d+ on SQLite\n/)
    assert.deepEqual(await rowsIn({ DATA_DIR }), await rowsIn(env))

    const words = ['restore', file, '--passphrase-file', join(folder, 'passphrase'), '--dry-run']
    const replaced = await runPortico(t, words, { env: { DATA_DIR } })
    assert.deepEqual([replaced.code, replaced.stdout], [1, ''])
    assert.match(replaced.stderr, /^The backup is not encrypted\. If it should be, somebody has replaced it\.\n$/)

    const refused = await runPortico(t, ['restore', file], { env: { DATA_DIR, ENCRYPTION_KEY } })
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /^The database is not empty: its table \w+ has rows\. Nothing was restored\.\n$/)
  })

  it('ask for the passphrase twice without showing it, and age and zstd read the file', async (t) => {
    const file = join(folder, 'encrypted')
    const { code, printed } = await onTerminal(
      t,
      `'${process.execPath}' '${MAIN}' backup --encrypt '${file}'`,
      [
        ['Passphrase: ', PASSPHRASE],
        ['The same again: ', PASSPHRASE],
      ],
      env,
    )
    assert.equal(code, 0, printed)
    assert.match(printed, /encrypted\s+Verified {2}yes/)
    assert.ok(!printed.includes(PASSPHRASE))
    assert.ok(readFileSync(file).toString('latin1').startsWith('age-encryption.org/v1\n-> scrypt '))

    const age = await ensureInstalled('/usr/bin/age', 'age')
    const zstd = await ensureInstalled('/usr/bin/zstd', 'zstd')
    const decrypted = join(folder, 'decrypted')
    const decryption = await onTerminal(t, `${age} -d -o '${decrypted}' '${file}'`, [['passphrase', PASSPHRASE]])
    assert.equal(decryption.code, 0, decryption.printed)
    const [header = '', users = ''] = (await runProgram(t, zstd, ['-dc', decrypted])).split('\n')
    assert.deepEqual([JSON.parse(header).format, JSON.parse(users).table], ['portico-backup', 'users'])

    const { DATA_DIR = '' } = await temporaryDatabase(t, 'sqlite')
    const words = ['restore', file, '--passphrase-file', join(folder, 'passphrase'), '--json']
    const restored = await runPortico(t, words, { env: { DATA_DIR, ENCRYPTION_KEY } })
    assert.equal(restored.code, 0, restored.stderr)
    assert.equal(JSON.parse(restored.stdout).isEncrypted, true)
    assert.deepEqual(await rowsIn({ DATA_DIR }), await rowsIn(env))
  })

  it('need a passphrase file without a terminal', async (t) => {
    for (const words of [
      ['backup', join(folder, 'x'), '--encrypt'],
      ['restore', join(folder, 'encrypted')],
    ]) {
      const { code, stdout, stderr } = await runPortico(t, words, { env })
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /^Without a terminal, the passphrase must be in --passphrase-file FILE\n/)
    }
  })

  it('write to a pipe', async (t) => {
    const command = `'${process.execPath}' '${MAIN}' backup - | ${await ensureInstalled('/usr/bin/zstd', 'zstd')} -dc`
    const printed = await runProgram(t, '/bin/sh', ['-c', command], { env: { PATH: process.env.PATH, ...env } })
    const lines = printed.trimEnd().split('\n')
    assert.equal(JSON.parse(lines[0] ?? '').format, 'portico-backup')
    assert.match(JSON.parse(lines.at(-1) ?? '').sha256, /^[\da-f]{64}$/)
  })
})
