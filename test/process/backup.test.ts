import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { BackupError } from '../../src/backup/backup-error.ts'
import { LEFT_OUT, PARENTS, tablesInBackup } from '../../src/backup/contents.ts'
import type { Row } from '../../src/backup/format.ts'
import { openSource } from '../../src/backup/open.ts'
import { MIGRATION_NAMES } from '../../src/database/migrate.ts'
import { assertAlive, refreshed, someone } from '../support/accounts.ts'
import { assertSucceeded } from '../support/api.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { undoProofsOfIdentity } from '../support/older-versions.ts'
import { addPasskey, logInWithPasskey } from '../support/passkeys.ts'
import { assertServed, newAvatar } from '../support/pictures.ts'
import { readDatabase } from '../support/process.ts'
import { addApp, appCode, passFirstStep, passSecondStep } from '../support/second-factor.ts'
import { ENGINES, type EngineName, startOn, startService, temporaryDatabase } from '../support/service.ts'
import { backUp, fillEveryTable, restoreTo, rowsIn, schemaIn } from './backups.ts'

const refusal = (message: RegExp) => (error: unknown) => error instanceof BackupError && message.test(error.message)

describe('a backup', () => {
  it('has every table of the schema except counters of rate limits and running processes', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    await readDatabase(env, async ({ query }) => {
      const names = (await query.introspection.getTables()).map(({ name }) => name)
      const tables = (await tablesInBackup(MIGRATION_NAMES)).map(({ name }) => name)
      assert.deepEqual(tables.slice(0, PARENTS.length), PARENTS)
      assert.deepEqual([...tables, ...LEFT_OUT].sort(), names.sort())
      assert.deepEqual(LEFT_OUT, ['rate_limits', 'instances'])
      const keys = sql<{ parent: string }>`
        select distinct keys."table" as parent from sqlite_master, pragma_foreign_key_list(name) as keys order by parent`
      assert.deepEqual(
        (await keys.execute(query)).rows.map(({ parent }) => parent),
        PARENTS,
      )
    })
  })

  for (const engine of ENGINES) {
    it(`is one moment of the database on ${engine}: what is written while it runs is not in it`, async (t) => {
      const service = await startService(engine)
      cleanUp(t, () => service.close())
      const early = await someone(service)
      const { database } = service.portico.config
      const source = await openSource(database, await temporaryFolder(t))
      try {
        const late = await someone(service)
        const found: Row[] = []
        for (const table of await tablesInBackup(source.migrations)) {
          for await (const rows of source.rowsOf(table)) found.push(...rows)
        }
        const values = found.flat()
        assert.ok(values.includes(early.email) && values.includes(early.sessionId))
        assert.ok(!values.includes(late.email) && !values.includes(late.sessionId))
      } finally {
        await source.close()
      }
    })
  }

  it('moves a site between engines, with every row, and nobody is signed out', async (t) => {
    const first = await temporaryDatabase(t, 'sqlite')
    const before = await startOn(first)
    const person = await someone(before)
    const avatar = await newAvatar(before, person)
    const authenticator = await addPasskey(before, person)
    const guarded = await addApp(before, await someone(before))
    await fillEveryTable(before, (await someone(before)).userId)
    await before.close()
    const expected = await rowsIn(first)
    assert.ok(Object.values(expected).every((rows) => rows.length > 0))

    const folder = await temporaryFolder(t)
    const engines: EngineName[] = ['sqlite', 'postgres', 'postgres', 'sqlite']
    let current = first
    for (const [round, engine] of engines.entries()) {
      const next = await temporaryDatabase(t, engine)
      // A start creates the schema, which the restore replaces.
      const schema = await schemaIn(next)
      const file = join(folder, `${round}.backup`)
      const { rows, isVerified } = await backUp(current, file)
      assert.deepEqual([rows, isVerified], [Object.values(expected).flat().length, true])
      await restoreTo(next, file)
      assert.deepEqual(await rowsIn(next), expected)
      assert.deepEqual(await schemaIn(next), schema)
      current = next
    }

    const after = await startOn(current)
    cleanUp(t, () => after.close())
    await assertAlive(after, person)
    await assertAlive(after, await refreshed(after, person))
    await assertServed(after, avatar)
    await assertAlive(after, await logInWithPasskey(after, authenticator))
    const challenge = await passFirstStep(after, guarded)
    assertSucceeded(await passSecondStep(after, challenge, { code: appCode(guarded.secret) }))
  })

  it('of an older version is restored by way of the migrations, also to a database that was started once', async (t) => {
    const [old, fresh] = [await temporaryDatabase(t, 'sqlite'), await temporaryDatabase(t, 'sqlite')]
    const before = await startOn(old)
    const person = await someone(before)
    await undoProofsOfIdentity(before)
    await before.close()
    const file = join(await temporaryFolder(t), 'old.backup')
    await backUp(old, file)
    await (await startOn(fresh)).close()
    const { header } = await restoreTo(fresh, file)
    assert.equal(header.migrations.at(-1), '0010-cheap-refresh')
    const after = await startOn(fresh)
    cleanUp(t, () => after.close())
    await assertAlive(after, person)
  })

  it('is readable by its owner only, replaces no file, and leaves nothing behind when it fails', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    const folder = await temporaryFolder(t)
    const file = join(folder, 'site.backup')
    await assert.rejects(backUp(env, file), refusal(/^There is no database/))
    await readDatabase(env, async () => {})
    await assert.rejects(backUp(env, file, { signal: AbortSignal.abort(new BackupError('ended')) }), refusal(/^ended$/))
    await assert.rejects(
      backUp(env, join(folder, 'nowhere', 'x')),
      refusal(/^Nothing can be written to the folder \S+nowhere: no such file or directory\.$/),
    )
    assert.deepEqual(readdirSync(folder), [])

    await backUp(env, file)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const bytes = readFileSync(file)
    await assert.rejects(backUp(env, file), refusal(/exists\. --force replaces it/))
    mkdirSync(join(folder, 'folder'))
    await assert.rejects(backUp(env, join(folder, 'folder')), refusal(/is not a file/))
    assert.ok(readFileSync(file).equals(bytes))

    // Another process writes the file while the backup runs.
    const raced = join(folder, 'raced')
    const onProgress = (step: string) => step === 'Verifying' && writeFileSync(raced, 'of another process')
    await assert.rejects(backUp(env, raced, { onProgress }), refusal(/exists\. --force replaces it/))
    assert.equal(readFileSync(raced, 'utf8'), 'of another process')
    // The copy of the database has this name while the backup runs.
    await backUp(env, join(folder, 'copy.db'))
    assert.deepEqual(readdirSync(folder).sort(), ['copy.db', 'folder', 'raced', 'site.backup'])
  })
})

describe('a restore', () => {
  it('refuses a database with accounts or of a newer version, and leaves it as it is', async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'site.backup')
    for (const engine of ['sqlite', 'postgres'] as const) {
      const env = await temporaryDatabase(t, engine)
      const service = await startOn(env)
      await someone(service)
      await service.close()
      if (engine === 'sqlite') await backUp(env, file)
      const before = await rowsIn(env)
      await assert.rejects(restoreTo(env, file), refusal(/^The database is not empty: its table \w+ has rows/))
      assert.deepEqual(await rowsIn(env), before)

      await readDatabase(env, async ({ query }) => {
        await query.deleteFrom('users').execute()
        await sql`insert into kysely_migration (name, timestamp) values ('9999-later', 'later')`.execute(query)
      })
      await assert.rejects(restoreTo(env, file), refusal(/^The database belongs to a newer version/))
      await assert.rejects(backUp(env, join(folder, 'newer')), refusal(/does not know the migration 9999-later/))
    }
  })

  it('refuses rows of accounts that the backup does not have, and writes nothing', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    const service = await startOn(env)
    await someone(service)
    await service.close()
    const connection = new DatabaseSync(join(env.DATA_DIR ?? '', 'portico.db'), { enableForeignKeyConstraints: false })
    connection.exec('delete from users')
    connection.close()
    const file = join(await temporaryFolder(t), 'site.backup')
    await backUp(env, file)
    for (const engine of ENGINES) {
      const other = await temporaryDatabase(t, engine)
      await assert.rejects(
        restoreTo(other, file),
        refusal(/^Rows of the backup refer to accounts that it does not have/),
      )
      assert.deepEqual((await rowsIn(other)).sessions, [])
    }
  })

  it('refuses a database with tables of the same names that Portico has not created', async (t) => {
    const [env, other] = [await temporaryDatabase(t, 'sqlite'), await temporaryDatabase(t, 'sqlite')]
    const file = join(await temporaryFolder(t), 'site.backup')
    await readDatabase(env, async () => {})
    await backUp(env, file)
    await readDatabase(other, async ({ query }) => {
      await sql`drop table kysely_migration`.execute(query)
    })
    await assert.rejects(restoreTo(other, file), refusal(/that Portico has not created/))
  })
})
