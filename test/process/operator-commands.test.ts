import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { readConfig } from '../../src/config/config.ts'
import { openDatabase } from '../../src/database/database.ts'
import { compareMigrations } from '../../src/database/migrate.ts'
import { LOCKED_TABLES } from '../../src/database/migration-locks.ts'
import { createLog } from '../../src/logging/log.ts'
import { runProgram } from '../support/child.ts'
import { temporaryFolder } from '../support/clean-up.ts'
import { PNG } from '../support/pictures.ts'
import { readDatabase, runPortico } from '../support/process.ts'
import { ENGINES, temporaryDatabase } from '../support/service.ts'

const KNOWN = compareMigrations([]).pending

describe('portico new, and portico content check', () => {
  it('create a draft and check the folder', async (t) => {
    const cwd = await temporaryFolder(t)
    const early = await runPortico(t, ['new', 'post', 'Hello', 'world'], { cwd })
    assert.equal(early.code, 1)
    assert.match(
      early.stderr,
      /^There is no site: \S+content \(CONTENT_DIR\) has no site\.yaml\. "portico init FOLDER"/,
    )
    assert.ok(!existsSync(join(cwd, 'content')))
    await mkdir(join(cwd, 'content'))
    await writeFile(join(cwd, 'content/site.yaml'), 'title: Site\n')
    const created = await runPortico(t, ['new', 'post', 'Hello', 'world'], { cwd })
    assert.equal(created.code, 0, created.stderr)
    const file = created.stdout.trim()
    assert.match(file, /^content\/posts\/\d{4}-\d\d-\d\d-hello-world\.md$/)
    assert.match(created.stderr, /^In development, the running service has it at \/dev\/drafts\/blog\/hello-world\n/)
    const again = await runPortico(t, ['new', 'post', 'Hello world', '--json'], { cwd })
    assert.deepEqual([again.code, again.stdout], [1, ''])
    assert.match(JSON.parse(again.stderr).error, /hello-world\.md has the address of this post already/)
    const foreign = await runPortico(t, ['new', 'page', '日本'], { cwd })
    assert.equal(foreign.stdout, 'content/pages/page.md\n')
    assert.match(foreign.stderr, /^Its address is \/page: the title has no letter from a to z .* --slug/)

    const clean = await runPortico(t, ['content', 'check'], { cwd })
    assert.deepEqual([clean.code, clean.stdout], [0, '0 posts, 0 pages, 2 not public yet: 0 faults, 0 warnings\n'])
    await mkdir(join(cwd, 'content/images'))
    await writeFile(join(cwd, 'content/images/unused.png'), PNG)
    assert.equal((await runPortico(t, ['content', 'check'], { cwd })).code, 0)
    assert.equal((await runPortico(t, ['content', 'check', '--strict'], { cwd })).code, 1)
    await writeFile(
      join(cwd, file),
      (await readFile(join(cwd, file), 'utf8')).replace('draft: true\n', 'colour: red\n'),
    )
    const shown = await runPortico(t, ['content', 'check'], { cwd })
    assert.deepEqual([shown.code, shown.stderr], [1, ''])
    assert.match(shown.stdout, /^content\/posts\/\S+:4: "colour" is not a field\n[\s\S]*: 1 fault, 1 warning\n$/)
    const { code, stdout } = await runPortico(t, ['content', 'check', '--json'], { cwd })
    const { ok, faults } = JSON.parse(stdout)
    assert.deepEqual([code, ok], [1, false])
    assert.deepEqual(faults, [{ file: file.replace('content/', ''), line: 4, problem: '"colour" is not a field' }])
  })

  it('print a command that a shell understands, whatever the name of the folder', async (t) => {
    const cwd = await temporaryFolder(t)
    const words = ['init', "Ada's first site", '--yes', '--no-install']
    const { code, stdout } = await runPortico(t, words, { cwd })
    assert.equal(code, 0)
    const [line = ''] = stdout.match(/^ {2}cd .+$/m) ?? []
    const shown = await runProgram(t, 'sh', ['-c', `${line} && pwd -P`], { cwd })
    assert.equal(shown.trim(), join(await realpath(cwd), "Ada's first site"))
  })

  it('print names of files without control characters', async (t) => {
    const cwd = await temporaryFolder(t)
    // ESC ] 0 ; sets the title of a terminal, and so does U+009D. A line break would forge a line.
    const name = 'x\x1b]0;y\x07\u009d0;z\u009c\nforged'
    await mkdir(join(cwd, 'content/posts'), { recursive: true })
    await writeFile(join(cwd, 'content/site.yaml'), 'title: Site\n')
    await writeFile(
      join(cwd, `content/posts/2026-01-01-${name}.md`),
      '---\ntitle: A\ndate: 2026-01-01\nslug: hello\n---\n',
    )
    await writeFile(join(cwd, `content/posts/2026-01-01-${name}2.md`), '---\ncolour: red\n---\n')
    await mkdir(join(cwd, 'site'))
    await writeFile(join(cwd, 'site', name), '')
    for (const words of [
      ['new', 'post', 'Hello'],
      ['new', 'post', 'Hello', '--json'],
      ['content', 'check'],
      ['content', 'check', '--json'],
      ['init', 'site', '--yes', '--no-install'],
      ['restore', name],
      [name.replace('\n', ' ')],
    ]) {
      const { code, stdout, stderr } = await runPortico(t, words, { cwd })
      assert.notEqual(code, 0)
      assert.match(stdout + stderr, /forged/, words.join(' '))
      assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]/u, words.join(' '))
      assert.doesNotMatch(stdout + stderr, /^forged/m, words.join(' '))
    }
  })

  it('list the faults of a file by their lines', async (t) => {
    const cwd = await temporaryFolder(t)
    await mkdir(join(cwd, 'content/posts'), { recursive: true })
    const body = '![](gone.png)\n\n[a](gone.md)\n\n![](gone.png)\n\n[b](#gone)\n'
    for (const name of ['b', 'a'])
      await writeFile(join(cwd, `content/posts/${name}.md`), `---\ntitle: ${name}\ndate: 2026-01-01\n---\n${body}`)
    const { stdout } = await runPortico(t, ['content', 'check', '--json'], { cwd })
    const { faults } = JSON.parse(stdout) as { faults: { file: string; line: number }[] }
    const places = faults.map(({ file, line }) => `${file}:${String(line).padStart(3)}`)
    assert.ok(faults.length >= 6)
    assert.deepEqual(places, places.toSorted())
  })

  it('refuse a clone as the package of a new site, and write the path of a package as it is from anywhere', async (t) => {
    const cwd = await temporaryFolder(t)
    const init = (portico: string) =>
      runPortico(t, ['init', 'site', '--yes', '--no-install', '--portico', portico], { cwd })
    const clone = join(import.meta.dirname, '../..')
    const refused = await init(clone)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /is not a package\. "npm run build" in a clone makes it/)
    // npm would take it for a repository on GitHub.
    const missing = await init('build/portico')
    assert.equal(missing.code, 2)
    assert.match(missing.stderr, /there is no build\/portico\. "npm run build" in a clone makes a package/)
    await assert.rejects(readFile(join(cwd, 'site/package.json')), /ENOENT/)
    await mkdir(join(cwd, 'package/dist'), { recursive: true })
    await writeFile(join(cwd, 'package/dist/main.js'), '')
    assert.equal((await init('package')).code, 0)
    const { dependencies } = JSON.parse(await readFile(join(cwd, 'site/package.json'), 'utf8'))
    assert.equal(dependencies.portico, join(await realpath(cwd), 'package'))
  })

  it('fail without a content folder', async (t) => {
    const { code, stderr } = await runPortico(t, ['content', 'check'])
    assert.equal(code, 1)
    assert.match(stderr, /^There is no content folder /)
  })
})

for (const engine of ENGINES) {
  describe(`portico migrate on ${engine}`, () => {
    it('change nothing in a dry run, and migrate', async (t) => {
      const env = await temporaryDatabase(t, engine)
      const file = join(env.DATA_DIR ?? '', 'portico.db')
      const early = await runPortico(t, ['mail', 'list'], { env })
      assert.equal(early.code, 1)
      assert.match(
        early.stderr,
        engine === 'sqlite' ? /^There is no database / : /^The database is of an older version/,
      )
      const dry = await runPortico(t, ['migrate', '--dry-run'], { env })
      assert.equal(dry.code, 0, dry.stderr)
      assert.match(dry.stdout, /^\d+ migrations would run:\n {2}0001-accounts\n[\s\S]*\nNothing was changed/)
      assert.equal(existsSync(file), false)

      const done = await runPortico(t, ['migrate', '--json'], { env })
      assert.deepEqual([done.code, JSON.parse(done.stdout).ran], [0, KNOWN])
      assert.match((await runPortico(t, ['migrate'], { env })).stdout, /^The database is up to date: all \d+ /)

      const last = '0011-proofs-of-identity'
      await readDatabase(env, ({ query }) => sql`delete from kysely_migration where name = ${last}`.execute(query))
      const { stdout } = await runPortico(t, ['migrate', '--dry-run'], { env })
      const locks = engine === 'postgres' ? '  locks sessions, users until all have run' : ''
      assert.ok(stdout.startsWith(`1 migration would run:\n  ${last}${locks}\nNothing was changed.`), stdout)
    })

    it('refuse a database of a newer version', async (t) => {
      const env = await temporaryDatabase(t, engine)
      await readDatabase(env, ({ query }) =>
        sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(query),
      )
      for (const words of [['migrate'], ['mail', 'list']]) {
        const { code, stderr } = await runPortico(t, words, { env })
        assert.equal(code, 1)
        assert.match(stderr, /^The database was migrated by a newer version of Portico \(9999-later\)\. Install that/)
      }
    })
  })
}

describe('portico keys list', () => {
  it('says which key signs, and when a new one does', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    await readDatabase(env, async () => {})
    const list = async () => (await runPortico(t, ['keys', 'list'], { env })).stdout
    assert.match(await list(), /^KEY .*\n\S+ +\S+ +signs new tokens\n$/)
    await runPortico(t, ['keys', 'rotate'], { env })
    assert.match(await list(), /^KEY .*\n.* signs new tokens from two minutes after its creation\n.* retired .*\n$/)
    await readDatabase(env, ({ query }) =>
      query
        .updateTable('signing_keys')
        .set((eb) => ({ created_at: eb('created_at', '-', 120_000) }))
        .execute(),
    )
    assert.match(await list(), /^KEY .*\n.* signs new tokens\n.* retired .*\n$/)
  })
})

describe('portico mail', () => {
  it('lists, retries and drops mails', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    await readDatabase(env, async ({ query, now }) => {
      const mail = { recipient: 'ada@example.com', subject: 'Hello', text_body: 'code 123456', html_body: '' }
      const failed = { failed_at: now, last_error: 'Error: 550 \x1b[31mno such user', attempts: 30 }
      const times = { created_at: now, due_at: now }
      await query
        .insertInto('outbox')
        .values([
          { ...mail, ...times, ...failed, id: 'one' },
          { ...mail, ...times, attempts: 0, id: 'two' },
        ])
        .execute()
    })
    const run = (...words: string[]) => runPortico(t, ['mail', ...words], { env })
    const { stdout } = await run('list')
    assert.match(stdout, /^ID +TO +SUBJECT +TRIES +STATE +LAST ERROR\none +ada@example\.com +Hello +30 +failed /)
    assert.match(stdout, /\n1 waiting, 1 failed\n/)
    assert.ok(!stdout.includes('123456') && !stdout.includes('\x1b'))
    const listed = JSON.parse((await run('list', '--failed', '--json')).stdout)
    assert.deepEqual(
      listed.mails.map(({ id, attempts }: { id: string; attempts: number }) => [id, attempts]),
      [['one', 30]],
    )

    assert.equal((await run('retry')).code, 2)
    const unknown = await run('retry', 'one', 'three')
    assert.deepEqual([unknown.code, unknown.stderr.split(':')[0]], [1, 'three was left as it is'])
    assert.match(unknown.stdout, /^1 mail due now\./)
    assert.match((await run('list', '--failed')).stdout, /^No mail has failed\.\n/)
    assert.deepEqual(JSON.parse((await run('drop', 'one', 'two', '--json')).stdout).left, [])
    assert.match((await run('list')).stdout, /^The outbox is empty/)
  })
})

describe('the locks of the migrations', () => {
  it('are those that PostgreSQL reports', async (t) => {
    const env = await temporaryDatabase(t, 'postgres')
    const config = readConfig({ ...env, LOG_LEVEL: 'silent' })
    const { query, close } = await openDatabase(config.database, createLog(config), { migrates: false })
    const actual: Record<string, string[]> = {}
    for (const name of KNOWN) {
      const [migration] = Object.values<Migration>(await import(`../../src/database/migrations/${name}.ts`))
      await query.transaction().execute(async (tx) => {
        const tables = await sql<{ oid: number }>`select oid from pg_class where relkind = 'r'`.execute(tx)
        await migration?.up(tx)
        const { rows } = await sql<{ name: string }>`
          select distinct relation::regclass::text as name from pg_locks
          where pid = pg_backend_pid() and mode in ('AccessExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock')
            and relation = any(${tables.rows.map(({ oid }) => oid)}) order by name`.execute(tx)
        const locked = rows.map((row) => row.name).filter((table) => !table.startsWith('pg_'))
        if (locked.length > 0) actual[name] = locked
      })
    }
    await close()
    assert.deepEqual(actual, LOCKED_TABLES)
  })
})
