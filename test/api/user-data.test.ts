import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Insertable } from 'kysely'
import type { Tables } from '../../src/database/tables.ts'
import { someone } from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  call,
  eventTypes,
  get,
  mailsTo,
  newEmail,
  type Person,
  post,
} from '../support/api.ts'
import { requestChange } from '../support/email-changes.ts'
import { signUpOnPages } from '../support/page-visitor.ts'
import { uploaded } from '../support/pictures.ts'
import { assertLimited, LIMITED } from '../support/rate-limits.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const download = (service: { url: string }, as: Person) => get(service, '/api/user-data', { as })

type Row<Table extends keyof Tables> = Insertable<Tables[Table]>
const later = Date.now() + 60 * 60_000

/** For each table with rows of accounts: a row of the account, with a mark that the download must have. */
const COVERED: { [Table in keyof Tables]?: (userId: string, mark: string) => Row<Table> } = {
  sessions: (user_id, mark) => ({
    id: randomUUID(),
    user_id,
    auth_method: 'email',
    browser: mark,
    os: 'Test',
    device: 'Desktop',
    ip_address: 'unknown',
    client_ip: '192.0.2.1',
    created_at: 1,
    last_active_at: 1,
    expires_at: later,
    revoked_at: 2,
    refresh_id: randomUUID(),
    previous_refresh_id: null,
    rotated_at: 1,
  }),
  known_devices: (user_id, mark) => ({ user_id, browser: mark, os: 'Test' }),
  security_events: (user_id, mark) => ({
    id: randomUUID(),
    user_id,
    session_id: null,
    type: 'profile.updated',
    browser: mark,
    os: 'Test',
    device: 'Desktop',
    ip_address: '192.0.2.1',
    created_at: 1,
    sequence: 1,
  }),
  linked_accounts: (user_id, mark) => ({
    provider: 'idp',
    issuer: 'https://idp.example',
    subject: randomUUID(),
    user_id,
    username: mark,
    linked_at: 1,
  }),
  unlinked_identities: (user_id, mark) => ({
    provider: 'idp',
    issuer: 'https://idp.example',
    subject: mark,
    user_id,
    unlinked_at: 1,
  }),
  pictures: (user_id, mark) => ({ id: randomUUID(), user_id, webp: Buffer.from(mark, 'base64'), unused_since: 1 }),
  authenticator_apps: (user_id) => ({ user_id, secret: 'secret-box', created_at: 1_000_000, confirmed_at: 2_000_000 }),
  recovery_codes: (user_id) => ({ user_id, hash: `secret-${randomUUID()}` }),
  remembered_browsers: (user_id, mark) => ({
    id: randomUUID(),
    user_id,
    token_hash: `secret-${randomUUID()}`,
    browser: mark,
    os: 'Test',
    client_ip: '192.0.2.1',
    created_at: 1,
    last_used_at: 1,
    expires_at: later,
  }),
  passkeys: (user_id, mark) => ({
    id: `secret-${randomUUID()}`,
    user_id,
    name: mark,
    public_key: 'secret-key',
    sign_count: 0,
    transports: '[]',
    is_backed_up: 1,
    aaguid: randomUUID(),
    created_at: 1,
    last_used_at: null,
  }),
  email_changes: (user_id, mark) => ({ user_id, new_email: mark, created_at: 1 }),
  email_undos: (user_id, mark) => ({
    token_hash: `secret-${randomUUID()}`,
    user_id,
    old_email: mark,
    expires_at: later,
  }),
  invitations: (user_id, mark) => ({
    id: randomUUID(),
    email: mark,
    token_hash: `secret-${randomUUID()}`,
    created_at: 1,
    expires_at: later,
    user_id,
    used_at: 2,
  }),
}

/** What a row of a table without a text of its own adds to the download. */
const ADDED: { [Table in keyof Tables]?: string } = {
  authenticator_apps: '"confirmedAt":"1970-01-01T00:33:20.000Z"',
  recovery_codes: '"recoveryCodesLeft":1',
}

/** Tables whose rows are not downloaded, and why. */
const EXCLUDED: { [Table in keyof Tables]?: string } = {
  codes: 'hashes of mailed codes, which are secrets and live for an hour',
  handshakes: 'secrets of sign-ins in progress, which live for ten minutes',
  second_factor_challenges: 'hashes of secrets of sign-ins in progress, which live for ten minutes',
  owner_actions: 'also about owners: the security events of the account say what they did',
  passkey_handles: 'a random number that names the account to authenticators',
  webhook_deliveries: 'copies of the id, the address and the sessions of the account, for 30 days',
}

describe('the download of all data', () => {
  onBothEngines((service, engine) => {
    it(`has the rows of every table with accounts, or there is a reason (${engine})`, async () => {
      const tables = await service.portico.database.query.introspection.getTables()
      const owned = tables
        .filter(({ columns }) => columns.some(({ name }) => name === 'user_id'))
        .map(({ name }) => name)
      assert.ok(owned.length >= 16)
      assert.deepEqual(owned.sort(), [...Object.keys(COVERED), ...Object.keys(EXCLUDED)].sort())
    })

    for (const [table, rowOf] of Object.entries(COVERED) as [keyof Tables, (userId: string, mark: string) => never][]) {
      it(`has the rows of ${table}, of this account only, and no secret`, async () => {
        const [person, other] = [await someone(service), await someone(service)]
        const mark = (name: string) => `${name}${randomUUID().replaceAll('-', '')}`
        const [own, foreign] = [mark('mark'), mark('mark')]
        const { query } = service.portico.database
        await query.insertInto(table).values(rowOf(person.userId, own)).execute()
        await query.insertInto(table).values(rowOf(other.userId, foreign)).execute()
        const response = await download(service, person)
        assertSucceeded(response)
        const text = JSON.stringify(response.body.data)
        assert.ok(text.includes(ADDED[table] ?? own), text)
        assert.ok(!text.includes(foreign))
        assert.doesNotMatch(text, /secret-|argon2/)
      })
    }

    it('has the profile, the avatar and the mails that wait', async () => {
      const person = await someone(service)
      await post(service, '/api/user-details', { bio: 'I wrote the first program.' }, { as: person })
      const { database } = service.portico
      const avatar = await uploaded(service, person)
      assertSucceeded(await post(service, '/api/upload-avatar', { avatar }, { as: person }))
      const mail = {
        text_body: 'secret-text',
        html_body: 'secret-html',
        created_at: 1,
        due_at: later,
        expires_at: null,
      }
      await database.query
        .insertInto('outbox')
        .values({ ...mail, id: randomUUID(), recipient: person.email, subject: 'A notice that waits' })
        .execute()
      const { data } = (await download(service, person)).body
      assert.equal(data.profile.bio, 'I wrote the first program.')
      assert.equal(data.profile.email, person.email)
      assert.notEqual(data.account.emailVerifiedAt, null)
      const [picture, ...others] = data.pictures
      assert.deepEqual([others, picture.isAvatar, picture.type], [[], true, 'image/webp'])
      assert.equal(Buffer.from(picture.base64, 'base64').subarray(8, 12).toString(), 'WEBP')
      const subjects = data.waitingMails.map(({ subject }: { subject: string }) => subject)
      assert.ok(subjects.includes('A notice that waits'))
      assert.doesNotMatch(JSON.stringify(data), /secret-/)
      await database.query.deleteFrom('outbox').where('subject', '=', 'A notice that waits').execute()
    })

    it('needs a recent proof, is an event, and is told by mail', async () => {
      const person = await someone(service)
      assertSucceeded(await download(service, person))
      assert.deepEqual((await eventTypes(service, person))[0], 'data.downloaded')
      const [mail] = await mailsTo(service, person.email)
      assert.equal(mail?.subject, 'Your data was downloaded - Portico')
      await service.advanceTime({ minutes: 15 })
      const refused = await download(service, person)
      assertRefused(refused, 403)
      assert.equal(refused.body.code, 'reauthentication_required')
      assert.equal((await mailsTo(service, person.email)).length, 1)
    })

    it('is not made by HEAD, nor by a guest', async () => {
      const person = await someone(service)
      assert.equal((await call(service, 'HEAD', '/api/user-data', undefined, { as: person })).status, 405)
      assertRefused(await get(service, '/api/user-data'), 401)
      assert.deepEqual(await mailsTo(service, person.email), [])
    })

    it('does not tell whether a new address has an account', async () => {
      const [person, owner] = [await someone(service), await someone(service)]
      for (const email of [newEmail(), owner.email]) {
        await requestChange(service, person, email)
        const { data } = (await download(service, person)).body
        assert.deepEqual(
          data.pendingEmailChanges.map(({ newEmail: to }: { newEmail: string }) => to),
          [email],
        )
        assert.doesNotMatch(JSON.stringify(data.waitingMails), /another account|Confirm your new/)
      }
    })

    it('is a file on the pages', async () => {
      const { visitor, email } = await signUpOnPages(service)
      const { status, headers, body } = await visitor.submit('/account/data', 'download')
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
      assert.match(
        headers.get('content-disposition') ?? '',
        /^attachment; filename="account-data-[\w.-]+-\d{4}-\d\d-\d\d\.json"$/,
      )
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(JSON.parse(body).profile.email, email)
      assert.equal((await visitor.get('/account')).status, 200)
    })
  })
})

describe('the limit of downloads', () => {
  onBothEngines((service: Service) => {
    it('is five an hour for an account', async () => {
      const person = await someone(service)
      for (let number = 0; number < 5; number++) assertSucceeded(await download(service, person))
      assertLimited(await download(service, person), 'download', 5, 3600)
    })
  }, LIMITED)
})
