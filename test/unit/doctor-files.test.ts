import assert from 'node:assert/strict'
import { chmod, mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { checkContentFolder } from '../../src/doctor/content.ts'
import { observeDisk } from '../../src/doctor/disk.ts'
import { runWithin } from '../../src/doctor/examine.ts'
import type { CheckParts } from '../../src/doctor/finding.ts'
import { createRedaction } from '../../src/doctor/redact.ts'
import { temporaryFolder } from '../support/clean-up.ts'
import { assertFound, configOf, examineWith, QUIET } from '../support/doctor.ts'
import { readDatabase } from '../support/process.ts'
import { temporaryDatabase } from '../support/service.ts'

describe('portico doctor on files', () => {
  it('finds wrong modes of the folder, the database and secret files', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    await readDatabase(env, async () => {})
    const folder = env.DATA_DIR ?? ''
    const secret = join(folder, 'secret')
    await writeFile(secret, 'smtp://user:password@127.0.0.1:9', { mode: 0o644 })
    await chmod(folder, 0o755)
    await chmod(join(folder, 'portico.db'), 0o644)
    const findings = await examineWith({ ...env, ...QUIET, SMTP_URL_FILE: secret })
    assertFound(findings, 'warning', /every user of this machine can read .*secret/, /^chmod 600 .*secret/)
    assertFound(findings, 'warning', /other users of this machine can open \S+ \(mode 0755\)/, /^chmod 700 /)
    assertFound(findings, 'fault', /other users .*portico\.db \(mode 0644\)/, /^chmod 600 .*portico\.db$/)
  })

  it('changes nothing, and creates nothing', async (t) => {
    const empty: Record<string, string> = { ...(await temporaryDatabase(t, 'sqlite')), ...QUIET }
    const findings = await examineWith(empty)
    assertFound(findings, 'warning', /^there is no database .* yet$/, /first start/)
    assertFound(findings, 'skipped', /^not checked: the database is not there/)
    assertFound(findings, 'warning', /^there is no content folder \/nowhere/, /CONTENT_DIR/)
    assert.deepEqual(await readdir(empty.DATA_DIR ?? ''), [])

    await readDatabase(empty, async () => {})
    const before = await stat(join(empty.DATA_DIR ?? '', 'portico.db'))
    assertFound(await examineWith(empty), 'ok', /no damage found/)
    const after = await stat(join(empty.DATA_DIR ?? '', 'portico.db'))
    assert.deepEqual([after.mtimeMs, after.size, after.ino], [before.mtimeMs, before.size, before.ino])
    assert.deepEqual(await readdir(empty.DATA_DIR ?? ''), ['portico.db'])
  })

  it('finds a damaged database, a lost one, and a file in the place of the folder', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    const database = join(env.DATA_DIR ?? '', 'portico.db')
    await readDatabase(env, async () => {})
    const file = await open(database, 'r+')
    await file.write(Buffer.alloc(8192, 0xff), 0, 8192, 4096)
    await file.close()
    assertFound(await examineWith({ ...env, ...QUIET }), 'fault', /the SQLite file is damaged/, /restore a backup/)
    await writeFile(database, 'no database at all'.repeat(100))
    assertFound(await examineWith({ ...env, ...QUIET }), 'fault', /not a database/, /restore a backup/)

    await rm(database)
    await writeFile(`${database}-wal`, 'frames')
    assertFound(await examineWith({ ...env, ...QUIET }), 'fault', /portico\.db is missing, and .*-wal is there/, /Put/)

    const DATA_DIR = join(await temporaryFolder(t), 'data')
    await writeFile(DATA_DIR, '')
    assertFound(await examineWith({ ...QUIET, DATA_DIR }), 'fault', /data is not a folder/, /Set DATA_DIR/)
  })

  it('finds a full disk and a network file system', () => {
    const local = { type: 0xef53, totalBytes: 100e9, freeBytes: 50e9 }
    assertFound(observeDisk('/data', local, true), 'ok', /^50\.0 GB are free in \/data$/)
    assertFound(observeDisk('/data', { ...local, freeBytes: 50e6 }, true), 'fault', /^only 50\.0 MB/, /^Delete/)
    assertFound(observeDisk('/data', { ...local, freeBytes: 900e6 }, true), 'warning', /^only 900\.0 MB/, /^Delete/)
    assertFound(observeDisk('/data', { ...local, freeBytes: 4e9 }, true), 'warning', /^only 4\.0 GB/, /^Delete/)
    assertFound(observeDisk('/data', { ...local, type: 0x6969 }, true), 'fault', /NFS/, /local disk/)
    assertFound(observeDisk('/data', { ...local, type: 0x6969 }, false), 'ok', /free/)
  })

  it('finds faults of the content, and what is probably not meant', async (t) => {
    const CONTENT_DIR = await temporaryFolder(t)
    await mkdir(join(CONTENT_DIR, 'pages'))
    await writeFile(join(CONTENT_DIR, 'pages/index.md'), '---\ntitle: A\n---\n![a](none.png)\n')
    await writeFile(join(CONTENT_DIR, 'pages/other.md'), '---\ntitle: A\n---\n')
    await writeFile(join(CONTENT_DIR, 'site.yaml'), Array.from({ length: 12 }, (_, n) => `field${n}: x`).join('\n'))
    const findings = await examineWith({ ...QUIET, CONTENT_DIR, DATA_DIR: join(CONTENT_DIR, 'data') })
    assertFound(
      findings,
      'fault',
      /^site\.yaml:1: "field0" is not a field/,
      /^Correct the file in .* and reload the page\.$/,
    )
    const inProduction = await checkContentFolder({
      config: { contentDir: CONTENT_DIR, baseUrl: 'https://a.example', mode: 'production' },
    } as CheckParts)
    assertFound(inProduction, 'fault', /^site\.yaml:1: /, /^Correct the file in .*, then send SIGHUP to the service\.$/)
    assertFound(findings, 'fault', /^4 more faults/, /portico content check/)
    assertFound(findings, 'warning', /^pages\/other\.md:1: has the same title as pages\/index\.md/, /^Change it/)
  })

  it('finds old keys, undelivered mails, failing webhooks and pending or unknown migrations', async (t) => {
    const env = await temporaryDatabase(t, 'sqlite')
    await readDatabase(env, async ({ query, now }) => {
      await query
        .updateTable('signing_keys')
        .set((eb) => ({ created_at: eb('created_at', '-', 400 * 86_400_000) }))
        .execute()
      const mail = { recipient: 'a@example.com', subject: 's', text_body: '', html_body: '', attempts: 1, due_at: now }
      const hourAgo = sql<number>`${now} - 3600000`
      await query
        .insertInto('outbox')
        .values([
          { ...mail, id: '1', created_at: hourAgo, failed_at: now },
          { ...mail, id: '2', created_at: hourAgo, failed_at: null },
        ])
        .execute()
      const webhook = { secret: '', events: '[]', created_at: 0, failing_since: hourAgo }
      await query
        .insertInto('webhooks')
        .values([
          { ...webhook, id: 'one', url: 'https://a.example.com/key-7' },
          { ...webhook, id: 'two', url: 'https://b.example.com/key-7', disabled_at: now },
          { ...webhook, id: 'off', url: 'https://c.example.com/', disabled_at: now, failing_since: null },
        ])
        .execute()
      await sql`delete from kysely_migration where name = '0011-proofs-of-identity'`.execute(query)
    })
    const findings = await examineWith({ ...env, ...QUIET })
    assertFound(findings, 'warning', /^the signing key is 400 days old/, /portico keys rotate/)
    assertFound(findings, 'warning', /^1 mail has failed permanently/, /portico mail list --failed/)
    assertFound(findings, 'warning', /^1 mail waits for delivery, the oldest for \d+ minutes/, /portico mail list/)
    assertFound(
      findings,
      'warning',
      /^the webhook at a\.example\.com has failed for less than a day$/,
      /webhook deliveries one/,
    )
    assertFound(findings, 'warning', /^the webhook at b\.example\.com is switched off/, /webhook change two --on/)
    assert.ok(findings.every(({ message }) => !/key-7|c\.example/.test(message)))
    assertFound(findings, 'warning', /^not run yet: 0011-proofs-of-identity/, /portico migrate/)
    await readDatabase(
      // Opening runs the pending migration as far as it can.
      { ...env, DATABASE_URL: `file:${join(env.DATA_DIR ?? '', 'other.db')}` },
      ({ query }) => sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(query),
    )
    const other = { ...QUIET, ...env, DATABASE_URL: `file:${join(env.DATA_DIR ?? '', 'other.db')}` }
    assertFound(await examineWith(other), 'fault', /newer version of Portico \(9999-later\)/, /^Install that version/)
  })
})

describe('a check of the doctor', () => {
  it('that fails or takes too long is a fault itself', async () => {
    const redact = (text: string) => text.replace('s3cret', '…')
    const failed = await runWithin(
      60_000,
      async () => {
        throw new Error('unexpected s3cret')
      },
      redact,
    )
    assertFound(failed, 'fault', /unexpected …$/)
    assertFound(
      await runWithin(1, () => new Promise(() => {}), redact),
      'fault',
      /took longer than 0\.001 seconds/,
      /--timeout/,
    )
  })

  it('shows words of its own that are also a password', async () => {
    const findings = await examineWith({ ...QUIET, SMTP_URL: 'smtp://user:check@127.0.0.1:9' })
    assertFound(findings, 'fault', /^SMTP_URL: nothing listens/, /^Is the mail server up/)
    assert.doesNotMatch(JSON.stringify(findings.filter(({ check }) => check !== 'mail server')), /…/)
  })

  it('shows no secret, also if another server repeats it', () => {
    const redact = createRedaction(
      configOf({
        DATABASE_URL: 'postgres://user:pass-word@localhost/x',
        SMTP_URL: 'smtp://user:p%40ss@localhost',
        IDP_CLIENT_ID: 'client',
        IDP_CLIENT_SECRET: 'client-secret',
      }),
    )
    assert.equal(redact('pass-word p%40ss p@ss client-secret client'), '… … … … client')
  })
})
