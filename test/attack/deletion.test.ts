import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { assertAlive, assertEnded, newResetCode, ownProfile, someone, tablesNaming } from '../support/accounts.ts'
import {
  assertSucceeded,
  del,
  eventTypes,
  mailsTo,
  newEmail,
  PASSWORD,
  type Person,
  post,
  signUp,
} from '../support/api.ts'
import { changeEmail, requestChange } from '../support/email-changes.ts'
import { onBothEngines, type Service } from '../support/service.ts'

/** A mail that will not be sent before tomorrow. */
async function keepMailWaiting({ portico: { database } }: Service, recipient: string): Promise<void> {
  const now = Date.now()
  const mail = { recipient, subject: 'Waiting', text_body: 'Waiting', html_body: 'Waiting' }
  const times = { created_at: now, due_at: now + 24 * 3_600_000 }
  await database.query
    .insertInto('outbox')
    .values({ id: randomUUID(), ...mail, ...times })
    .execute()
}

describe('a deleted account', () => {
  onBothEngines((service, engine) => {
    const deleteUser = (as: Person, body?: unknown) => del(service, '/api/delete-user', body, { as })

    it('leaves no row that refers to it, in any table', async () => {
      const person = await someone(service)
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

    it('leaves no row that names an address which it had or asked for, nor a mail to one that it had', async () => {
      const person = await someone(service)
      const { newEmail: to } = await changeEmail(service, person)
      const pending = newEmail()
      assertSucceeded(await requestChange(service, person, pending))
      await keepMailWaiting(service, person.email)
      const bystander = await someone(service)
      await keepMailWaiting(service, bystander.email)
      const names = [person.userId, person.email, to, pending]
      assert.ok((await tablesNaming(service, ...names)).includes('email_undos'))
      assertSucceeded(await requestChange(service, person, bystander.email))
      assertSucceeded(await deleteUser(person, { password: PASSWORD }))
      assert.deepEqual(await tablesNaming(service, ...names), [])
      // A deleted account deletes no mail to an address that it only asked for.
      assert.ok((await tablesNaming(service, bystander.email)).includes('outbox'))
    })

    it('is sent one last notice, and none of the mails that were waiting', async () => {
      const person = await someone(service)
      await keepMailWaiting(service, person.email)
      const mailsBefore = await mailsTo(service, person.email)
      await deleteUser(person, { password: PASSWORD })
      await service.portico.deliveryWorker.idle()
      await service.advanceTime({ days: 2 })
      service.portico.deliveryWorker.wake()
      const [notice, ...older] = await mailsTo(service, person.email)
      assert.equal(notice?.subject, 'Your account was deleted - Portico')
      assert.deepEqual(older, mailsBefore)
    })

    it('frees its address for a new registration with another identity', async () => {
      const old = await someone(service)
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

    if (engine === 'sqlite') {
      it('leaves none of its data in the database files', async () => {
        const { database } = service.portico.config
        const file = database.engine === 'sqlite' ? database.file : ''
        const filesContain = async (text: string) => {
          const contents = await Promise.all([file, `${file}-wal`].filter(existsSync).map((name) => readFile(name)))
          return contents.some((content) => content.includes(text))
        }
        const person = await signUp(service)
        const bio = `Remember ${randomUUID()}`
        // Larger than a page, so that it uses overflow pages, and replaced once, so that an earlier version was written
        // too.
        const manyLinks = Array.from({ length: 20 }, () => ({ provider: 'x', url: `https://${person.userId}.example` }))
        for (const socialAccounts of [manyLinks, []]) {
          await post(service, '/api/user-details', { bio, socialAccounts }, { as: person })
        }
        for (const text of [person.email, person.userId, bio]) assert.ok(await filesContain(text))

        assertSucceeded(await deleteUser(person, { password: PASSWORD }))
        await service.portico.deliveryWorker.idle()
        for (const text of [person.email, person.userId, person.sessionId, bio]) {
          assert.equal(await filesContain(text), false, text)
        }
      })
    }
  })
})
