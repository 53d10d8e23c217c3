import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hashSync } from 'bcryptjs'
import { startChild } from '../support/child.ts'
import { temporaryFolder } from '../support/clean-up.ts'
import { fileOfMany } from '../support/people-files.ts'
import { readDatabase, runPortico } from '../support/process.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'
import { eventually } from '../support/site.ts'

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url))
// Eight batches of the import.
const MANY = 4000

/** The number of accounts, and the actions in the audit log. */
const storedIn = (env: Record<string, string>) =>
  readDatabase(env, async ({ query }) => {
    const people = await query.selectFrom('users').select('id').execute()
    const actions = await query.selectFrom('owner_actions').select(['action', 'details', 'browser']).execute()
    return { people: people.length, actions }
  })

describe('portico people import and export', () => {
  for (const engine of ENGINES) {
    it(`say what a dry run would do, name bad lines, and write a file that only its owner reads, on ${engine}`, async (t) => {
      const env = await temporaryDatabase(t, engine)
      await storedIn(env)
      const folder = await temporaryFolder(t)
      const portico = (...args: string[]) => runPortico(t, ['people', ...args], { env, cwd: folder })
      const lines = [
        '{"email":"ada@example.com","emailVerified":true,"role":"owner"}',
        String.raw`{"email":"\u001b[31m"}`,
      ]
      await writeFile(join(folder, 'people.ndjson'), lines.join('\n'))

      const tried = await portico('import', 'people.ndjson', '--dry-run', '--json')
      const { imported, refused, ownersAsMembers, lines: named } = JSON.parse(tried.stdout)
      assert.deepEqual([tried.code, imported, refused, ownersAsMembers], [1, 1, 1, 1])
      const reason = 'Email must be a valid e-mail address'
      assert.deepEqual(named, [{ line: 2, isRefused: true, reason }])
      assert.deepEqual(await storedIn(env), { people: 0, actions: [] })

      const run = await portico('import', 'people.ndjson')
      assert.equal(run.code, 1)
      assert.equal(run.stderr, `line 2: refused, ${reason}\n`)
      assert.match(run.stdout, /^File +people\.ndjson \(ndjson\), 2 people\nImported +1\n/)
      const { people, actions } = await storedIn(env)
      assert.equal(people, 1)
      assert.deepEqual(actions.map(({ action, browser }) => [action, browser]).sort(), [
        ['people.import-started', 'Command line'],
        ['people.imported', 'Command line'],
      ])

      const out = await portico('export', 'out.csv', '--format', 'csv')
      assert.equal(out.code, 0, out.stderr)
      assert.equal((await stat(join(folder, 'out.csv'))).mode & 0o777, 0o600)
      assert.match(await readFile(join(folder, 'out.csv'), 'utf8'), /^id,email,.*\r\n[^,]+,ada@example\.com,/)
      const again = await portico('export', 'out.csv')
      assert.deepEqual([again.code, again.stderr], [1, `${join(folder, 'out.csv')} exists. --force replaces it.\n`])
    })

    it(`an import that is killed in the middle is finished by the next one, on ${engine}`, async (t) => {
      const env = await temporaryDatabase(t, engine)
      await storedIn(env)
      const path = await fileOfMany(t, MANY, hashSync('a password', 4))
      const child = startChild(t, process.execPath, [MAIN, 'people', 'import', path], {
        cwd: env.DATA_DIR ?? '',
        env: { PATH: process.env.PATH, ...env },
        stdio: 'ignore',
      })
      const ended = once(child, 'exit')
      await eventually(async () => assert.notEqual((await storedIn(env)).people, 0))
      child.kill('SIGKILL')
      assert.deepEqual(await ended, [null, 'SIGKILL'])
      const { people } = await storedIn(env)
      assert.ok(people < MANY, `the import was over before it was killed: ${people} people`)

      const { code, stdout } = await runPortico(t, ['people', 'import', path, '--json'], { env })
      const { imported, alreadyHere, refused } = JSON.parse(stdout)
      assert.deepEqual([code, imported, alreadyHere, refused], [0, MANY - people, people, 0])
      assert.equal((await storedIn(env)).people, MANY)
    })
  }
})
