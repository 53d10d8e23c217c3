import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deleteExpiredRows } from '../../src/housekeeping.ts'
import { assertAlive, assertEnded, assertNow, someone } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, eventTypes, fieldCodesOf, get, mailsTo, post } from '../support/api.ts'
import {
  addPasskey,
  listPasskeys,
  logInWithPasskey,
  newAuthenticator,
  registrationOptions,
  removePasskey,
  renamePasskey,
  tryAddPasskey,
  tryPasskey,
} from '../support/passkeys.ts'
import { onBothEngines } from '../support/service.ts'

const USED_UP = 'The passkey could not be added, please try again'

describe('passkeys', () => {
  onBothEngines((service) => {
    const subjects = async (email: string) => (await mailsTo(service, email)).map(({ subject }) => subject)

    it('are asked for as resident credentials with user verification and without attestation', async () => {
      const person = await someone(service)
      const options = await registrationOptions(service, person)
      assert.deepEqual(
        [options.rp, options.user.name, options.user.displayName, options.attestation, options.excludeCredentials],
        [{ id: 'localhost', name: 'Portico' }, person.email, 'Ada Lovelace', 'none', []],
      )
      assert.deepEqual(options.authenticatorSelection, {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      })
      assert.deepEqual(
        options.pubKeyCredParams.map(({ alg }: { alg: number }) => alg),
        [-8, -7, -257],
      )
      const handle = Buffer.from(options.user.id, 'base64url')
      assert.equal(handle.length, 32)
      assert.ok(!handle.includes(person.userId) && !handle.includes(person.email))
      assert.equal((await registrationOptions(service, person)).user.id, options.user.id)
    })

    for (const algorithm of ['ES256', 'Ed25519', 'RS256'] as const) {
      it(`of the algorithm ${algorithm} are added and sign in, without anything else`, async () => {
        const person = await someone(service)
        const passkey = await addPasskey(service, person, undefined, newAuthenticator({ algorithm }))
        const session = await logInWithPasskey(service, passkey)
        assert.deepEqual([session.userId, session.email], [person.userId, person.email])
        const { body } = await get(service, '/api/sessions', { as: session })
        const current = body.data.sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)
        assert.deepEqual([current.authMethod, current.methods], ['passkey', ['hwk']])
      })
    }

    it('that are synchronised are told from those that stay on one device', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      const session = await logInWithPasskey(service, passkey, { isSynced: true })
      const { body } = await get(service, '/api/sessions', { as: session })
      assert.deepEqual(body.data.sessions.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent).methods, ['swk'])
      assert.equal((await listPasskeys(service, session))[0]?.isSynced, true)
    })

    it('are listed with name, times and state, and are excluded from the next registration', async () => {
      const person = await someone(service)
      const [phone, key] = [await addPasskey(service, person, 'My phone'), await addPasskey(service, person)]
      await logInWithPasskey(service, key)
      const [first, second] = await listPasskeys(service, person)
      assert.deepEqual(
        [first?.id, first?.name, first?.isSynced, first?.lastUsedAt],
        [phone.id, 'My phone', false, null],
      )
      assert.deepEqual([second?.id, second?.name], [key.id, 'Passkey'])
      assertNow(first?.createdAt ?? null)
      assertNow(second?.lastUsedAt ?? null)
      const { excludeCredentials } = await registrationOptions(service, person)
      assert.deepEqual(
        excludeCredentials,
        [phone, key].map(({ id }) => ({ id, type: 'public-key', transports: ['internal', 'hybrid'] })),
      )
    })

    it('tell a browser what the Signal API needs', async () => {
      const person = await someone(service)
      const before = await get(service, '/api/passkeys', { as: person })
      assert.deepEqual(before.body.data, { passkeys: [], rpId: 'localhost', userHandle: null })
      const { user } = await registrationOptions(service, person)
      assert.equal((await get(service, '/api/passkeys', { as: person })).body.data.userHandle, user.id)
    })

    it('are renamed, and removed, with an event and a mail for what matters', async () => {
      const person = await someone(service)
      const passkey = await addPasskey(service, person)
      assertSucceeded(await renamePasskey(service, person, passkey.id, '  Desk  '))
      assert.deepEqual(
        (await listPasskeys(service, person)).map(({ name }) => name),
        ['Desk'],
      )
      assertSucceeded(await removePasskey(service, person, passkey.id))
      assert.deepEqual(await listPasskeys(service, person), [])
      assertRefused(await tryPasskey(service, passkey), 401, 'This passkey cannot be used to sign in')
      assert.deepEqual((await eventTypes(service, person)).slice(0, 3), [
        'passkey.removed',
        'passkey.renamed',
        'passkey.added',
      ])
      assert.deepEqual((await subjects(person.email)).sort(), [
        'A passkey was added to your account - Portico',
        'A passkey was removed from your account - Portico',
      ])
    })

    it('end the other sessions that began with a passkey when one is removed', async () => {
      const person = await someone(service)
      const [lost, kept] = [await addPasskey(service, person), await addPasskey(service, person)]
      const stolen = await logInWithPasskey(service, lost)
      const own = await logInWithPasskey(service, kept)
      assertSucceeded(await removePasskey(service, own, lost.id))
      await assertEnded(service, stolen)
      await assertAlive(service, own)
      await assertAlive(service, person)
    })

    it('of another account or of nobody are not found', async () => {
      const [person, other] = [await someone(service), await someone(service)]
      const { id } = await addPasskey(service, other)
      for (const unknown of [id, 'AAAA']) {
        assertRefused(await renamePasskey(service, person, unknown, 'Mine'), 404, 'Passkey not found')
        assertRefused(await removePasskey(service, person, unknown), 404, 'Passkey not found')
      }
      assert.equal((await listPasskeys(service, other))[0]?.name, 'Passkey')
    })

    it('are at most 20 for an account', async () => {
      const person = await someone(service)
      for (let number = 0; number < 20; number++) await addPasskey(service, person, `Number ${number}`)
      const refused = await tryAddPasskey(service, person, newAuthenticator())
      assertRefused(refused, 400, 'An account can have at most 20 passkeys')
      assert.equal((await listPasskeys(service, person)).length, 20)
    })

    it('are created by the browser alone, without presence and verification, only for options that allow it', async () => {
      const person = await someone(service)
      const silent = { isPresent: false, isVerified: false }
      assertRefused(await tryAddPasskey(service, person, newAuthenticator(), silent), 400, USED_UP)
      const authenticator = newAuthenticator()
      const options = await registrationOptions(service, person, { isConditional: true })
      const passkey = authenticator.create(options, silent)
      assertSucceeded(await post(service, '/api/passkeys', { passkey }, { as: person }), 201)
      assertRefused(await tryPasskey(service, authenticator, { isVerified: false }), 401)
      assert.equal((await logInWithPasskey(service, authenticator)).userId, person.userId)
    })

    it('with an attestation are accepted, and the attestation is ignored', async () => {
      const person = await someone(service)
      const authenticator = newAuthenticator()
      const attestation = { format: 'packed', statement: Buffer.from('a163616c6726', 'hex') }
      assertSucceeded(await tryAddPasskey(service, person, authenticator, { attestation }), 201)
      assert.equal((await logInWithPasskey(service, authenticator)).userId, person.userId)
    })

    it('leave no used challenge behind', async () => {
      const { database } = service.portico
      await logInWithPasskey(service, await addPasskey(service, await someone(service)))
      const stored = () => database.query.selectFrom('used_challenges').select('key').execute()
      await deleteExpiredRows(database)
      assert.ok((await stored()).length >= 2)
      await service.advanceTime({ minutes: 7 })
      await deleteExpiredRows(database)
      assert.deepEqual(await stored(), [])
    })

    it('have names of one line and at most 50 characters', async () => {
      const person = await someone(service)
      const { id } = await addPasskey(service, person)
      for (const name of ['', ' ', 'x'.repeat(51), 'two\nlines']) {
        const refused = await renamePasskey(service, person, id, name)
        assertRefused(refused, 400, 'Validation failed')
        assert.deepEqual(Object.keys(fieldCodesOf(refused)), ['name'])
      }
    })
  })
})
