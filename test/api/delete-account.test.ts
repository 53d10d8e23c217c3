import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { before, describe, it } from 'node:test'
import { assertAlive, assertEnded, newResetCode, removePassword, tryLogIn } from '../support/account-steps.ts'
import { del, eventTypes, logIn, mailsTo, PASSWORD, type Person, post, signUp } from '../support/api.ts'
import { assertRefused, assertSucceeded, fieldsOf } from '../support/envelope.ts'
import { onBothEngines } from '../support/on-both-engines.ts'
import { ownProfile } from '../support/own-profile.ts'
import type { Service } from '../support/service.ts'
import { everythingStored } from '../support/stored.ts'

/** The tables, whichever there are, with a row that contains one of the texts. */
async function tablesNaming(service: Service, ...texts: string[]): Promise<string[]> {
  const tables = Object.entries(await everythingStored(service))
  const isNaming = (row: string) => texts.some((text) => row.includes(text))
  return tables.flatMap(([name, rows]) => (rows.some(isNaming) ? [name] : [])).sort()
}

/** A mail that will not leave before tomorrow. */
async function keepMailWaiting({ portico: { database } }: Service, recipient: string): Promise<void> {
  const now = Date.now()
  const mail = { recipient, subject: 'Waiting', text_body: 'Waiting', html_body: 'Waiting' }
  const times = { created_at: now, due_at: now + 24 * 3_600_000 }
  await database.query
    .insertInto('outbox')
    .values({ id: randomUUID(), ...mail, ...times })
    .execute()
}

describe('delete-user', () => {
  onBothEngines((service, engine) => {
    const deleteUser = (as: Person, body?: unknown) => del(service, '/api/delete-user', body, { as })

    it('deletes the account for the right password, and ends every session of it at once', async () => {
      const person = await signUp(service)
      const second = await logIn(service, person)
      const answer = await deleteUser(person, { password: PASSWORD })
      assertSucceeded(answer)
      assert.ok(!('data' in answer.body))
      await assertEnded(service, person)
      await assertEnded(service, second)
      assertRefused(await tryLogIn(service, person.email, PASSWORD), 401, 'Invalid email or password')
      assertRefused(await deleteUser(person, { password: PASSWORD }), 401)
    })

    it('leaves no row that names the account, in any table', async () => {
      const person = await signUp(service)
      await post(service, '/api/user-details', { bio: `I am ${person.email}` }, { as: person })
      await newResetCode(service, person.email)
      await keepMailWaiting(service, person.email)
      const names = [person.userId, person.email, person.sessionId]
      assert.deepEqual(await tablesNaming(service, ...names), [
        'codes',
        'known_devices',
        'outbox',
        'security_events',
        'sessions',
        'users',
      ])
      assertSucceeded(await deleteUser(person, { password: PASSWORD }))
      assert.deepEqual(await tablesNaming(service, ...names), [])
    })

    it('mails one last notice, and nothing else that was waiting', async () => {
      const person = await signUp(service)
      await keepMailWaiting(service, person.email)
      const mailsBefore = await mailsTo(service, person.email)
      await deleteUser(person, { password: PASSWORD })
      await service.portico.courier.idle()
      await service.letPass({ days: 2 })
      service.portico.courier.wake()
      const [notice, ...older] = await mailsTo(service, person.email)
      assert.equal(notice?.subject, 'Your account was deleted')
      assert.deepEqual(older, mailsBefore)
    })

    it('lets the address register anew, as somebody else', async () => {
      const old = await signUp(service)
      await post(service, '/api/user-details', { bio: 'the old me' }, { as: old })
      await deleteUser(old, { password: PASSWORD })
      const anew = await signUp(service, { email: old.email })
      assert.equal(anew.email, old.email)
      assert.notEqual(anew.userId, old.userId)
      assert.equal((await ownProfile(service, anew)).bio, '')
      assert.deepEqual((await eventTypes(service, anew)).sort(), [
        'account.created',
        'email.verified',
        'session.started',
      ])
      await assertEnded(service, old)
      await assertEnded(service, { ...old, sessionId: anew.sessionId })
      await assertAlive(service, anew)
    })

    it('touches nobody else', async () => {
      const [person, other] = [await signUp(service), await signUp(service)]
      const { store } = service.portico
      const rowBefore = await store.findById(other.userId)
      const before = [await tablesNaming(service, other.userId), await eventTypes(service, other)]
      const mailsBefore = await mailsTo(service, other.email)
      assertSucceeded(await deleteUser(person, { password: PASSWORD, userId: other.userId, email: other.email }))
      await assertAlive(service, other)
      assert.deepEqual([await tablesNaming(service, other.userId), await eventTypes(service, other)], before)
      assert.deepEqual(await store.findById(other.userId), rowBefore)
      assert.deepEqual(await mailsTo(service, other.email), mailsBefore)
    })

    it('asks no password of an account that has none', async () => {
      for (const body of [undefined, {}]) {
        const person = await signUp(service)
        await removePassword(service, person.email)
        assertSucceeded(await deleteUser(person, body))
        await assertEnded(service, person)
        assert.equal(await service.portico.store.findByEmail(person.email), undefined)
      }
    })

    describe('without the right password', () => {
      let person: Person
      before(async () => {
        person = await signUp(service)
      })

      async function assertUntouched(attempt: () => Promise<void>) {
        const { store } = service.portico
        const [row, mails] = [await store.findById(person.userId), await mailsTo(service, person.email)]
        await attempt()
        await assertAlive(service, person)
        assert.deepEqual(await store.findById(person.userId), row)
        assert.deepEqual(await mailsTo(service, person.email), mails)
      }

      for (const password of ['Wrong-Horse-7', PASSWORD.toLowerCase(), `${PASSWORD} `]) {
        it(`refuses "${password}", and the session goes on`, () =>
          assertUntouched(async () => {
            assertRefused(await deleteUser(person, { password }), 400, 'Password is incorrect')
          }))
      }

      for (const body of [
        undefined,
        {},
        { password: null },
        { password: '' },
        { password: 7 },
        { password: [PASSWORD] },
      ]) {
        it(`refuses ${JSON.stringify(body) ?? 'no body'} as invalid`, () =>
          assertUntouched(async () => {
            const answer = await deleteUser(person, body)
            assertRefused(answer, 400, 'Validation failed')
            assert.deepEqual(Object.keys(fieldsOf(answer)), ['password'])
          }))
      }
    })

    if (engine === 'sqlite') {
      it('leaves nothing of the account in the database files', async () => {
        const { database } = service.portico.config
        const file = database.engine === 'sqlite' ? database.file : ''
        const filesContain = async (text: string) => {
          const contents = await Promise.all([file, `${file}-wal`].filter(existsSync).map((name) => readFile(name)))
          return contents.some((content) => content.includes(text))
        }
        const person = await signUp(service)
        const bio = `Remember ${randomUUID()}`
        // Larger than a page, so that it spills over, and replaced once, so that an earlier version was written too.
        const manyLinks = Array.from({ length: 20 }, () => ({ provider: 'x', url: `https://${person.userId}.example` }))
        for (const socialAccounts of [manyLinks, []]) {
          await post(service, '/api/user-details', { bio, socialAccounts }, { as: person })
        }
        for (const text of [person.email, person.userId, bio]) assert.ok(await filesContain(text))

        assertSucceeded(await deleteUser(person, { password: PASSWORD }))
        await service.portico.courier.idle()
        for (const text of [person.email, person.userId, person.sessionId, bio]) {
          assert.equal(await filesContain(text), false, text)
        }
      })
    }
  })
})
