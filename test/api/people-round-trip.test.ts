import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { someone } from '../support/accounts.ts'
import { newEmail } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { exported, fileWith, importFile } from '../support/people-files.ts'
import { ENGINES, type EngineName, type Service, startService } from '../support/service.ts'

const NASTY = [
  '=1+1',
  "'=1",
  '+a',
  '-a',
  '@a',
  '\ttab',
  'a,"b"\r\nc',
  '<script>alert(1)</script>',
  "' or 1=1",
  '\ufeffbom',
]

/** People with everything that an export has. */
async function fill(service: Service): Promise<void> {
  const { query } = service.portico.database
  const person = await someone(service)
  const location = { address: '1 Street', city: '=city', state: '', country: 'x', zip_code: '-1' }
  await query
    .updateTable('users')
    .set({ ...location, role: 'owner', dob: '1815-12-10T00:00:00.000Z', has_changed_username: 1, theme: 'dark' })
    .set({ social_accounts: '[{"provider":"a","url":"https://example.com/a"}]', avatar: 'https://example.com/a.png' })
    .where('id', '=', person.userId)
    .execute()
  const identity = { provider: 'idp' as const, issuer: 'https://id.example.com', user_id: person.userId }
  for (const subject of ['2', '10', 'a']) {
    const linked = { ...identity, subject, username: '=x', linked_at: 1_700_000_000_123 }
    await query.insertInto('linked_accounts').values(linked).execute()
  }
  await query
    .insertInto('unlinked_identities')
    .values({ ...identity, subject: 'b', unlinked_at: 1 })
    .execute()
  for (const bio of NASTY) {
    const { userId } = await someone(service)
    const suspension = { suspended_until: 4_000_000_000_000, suspension_reason: bio.replace(/[\r\n\t]/g, ' ').trim() }
    await query
      .updateTable('users')
      .set({ bio, last_name: '', ...suspension })
      .where('id', '=', userId)
      .execute()
  }
  const { userId } = await someone(service)
  await query
    .updateTable('users')
    .set({ email: `z${newEmail()}`, email_verified_at: null, registered_again: 1, password_hash: null })
    .where('id', '=', userId)
    .execute()
}

describe('an export of people', () => {
  const suite = suiteCleanUp()
  const sources = new Map<EngineName, Service>()
  before(async () => {
    for (const engine of ENGINES) {
      const service = await startService(engine)
      cleanUp(suite, () => service.close())
      sources.set(engine, service)
    }
    await fill(sources.get('sqlite') as Service)
  })

  it('is the same after its import, on the other engine and back, as NDJSON and as CSV', async (t) => {
    const [sqlite, postgres] = [sources.get('sqlite') as Service, sources.get('postgres') as Service]
    const [ndjson, csv] = [await exported(sqlite), await exported(sqlite, 'csv')]
    assert.equal(ndjson.trimEnd().split('\n').length, NASTY.length + 2)
    assert.ok(ndjson.includes('"role":"owner"') && ndjson.includes('<script>'))
    for (const line of csv.split('\r\n')) assert.doesNotMatch(line, /(?:^|,)"?[=+\-@\t]/)
    for (const [content, target] of [
      [csv, postgres],
      [ndjson, sqlite],
      [csv, sqlite],
      [ndjson, postgres],
    ] as const) {
      await target.portico.database.query.deleteFrom('users').execute()
      const { refused, remarks, imported } = await importFile(target, await fileWith(t, content), { withRoles: true })
      assert.deepEqual([imported, refused, remarks], [NASTY.length + 2, 0, []])
      assert.equal(await exported(target), ndjson)
      assert.equal(await exported(target, 'csv'), csv)
      const again = await importFile(target, await fileWith(t, content), { withRoles: true })
      assert.deepEqual([again.imported, again.alreadyHere], [0, NASTY.length + 2])
    }
  })
})
