import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { ProviderName } from '../../src/database/enumerations.ts'
import { COMMAND_LINE } from '../../src/events/owner-actions.ts'
import { revokeInvitation } from '../../src/owner/revoke-invitation.ts'
import {
  assertAlike,
  countAccounts,
  newResetCode,
  register,
  reset,
  someone,
  tablesNaming,
  verify,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  codeFor,
  del,
  logIn,
  mailsTo,
  newEmail,
  PASSWORD,
  type Person,
  post,
  registration,
  signUp,
} from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { listenOnLoopback } from '../support/local-servers.ts'
import { invite, setRegistration, signUpOwner } from '../support/owners.ts'
import { withProviders } from '../support/providers.ts'
import { ENGINES, type Service, startOn, startService, temporaryDatabase } from '../support/service.ts'
import { signedIn, signIn } from '../support/sign-in-steps.ts'

const CLOSED = 'Registration is closed'
const BY_INVITATION = 'Registration is by invitation only'
const BY_DOMAIN = 'Registration is open to certain mail domains only'

const tryRegister = (service: { url: string }, email: string, invitation?: string) =>
  post(service, '/api/create-account', registration({ email, ...(invitation !== undefined && { invitation }) }))

/** Invites an address without a mail. Returns the token. */
const issue = ({ portico: { database, invitations } }: Service, email: string) =>
  database.transaction(async (tx) => (await invitations.issue(tx, email, 7, undefined)).token)

describe('a site by invitation', () => {
  withProviders((service, providers) => {
    before(() => setRegistration(service, { mode: 'invite' }))

    const signInWith = (name: ProviderName, person: { email: string; verified?: boolean }) =>
      signIn(service, providers[name], providers[name].people.admit(person))

    async function assertNotAdmitted(email: string, invitation?: string) {
      assertRefused(await tryRegister(service, email, invitation), 403, BY_INVITATION)
      assertRefused(await signInWith('idp', { email }), 403, BY_INVITATION)
      assert.equal(await countAccounts(service, email), 0)
    }

    it('admits nobody without an invitation, nor with a wrong one', async () => {
      const email = newEmail()
      const { token } = await invite(service, newEmail())
      for (const wrong of [undefined, '', 'x', '0'.repeat(32), token.toUpperCase(), `${token} `, token.slice(1)])
        await assertNotAdmitted(email, wrong)
      assert.deepEqual(await mailsTo(service, email), [])
    })

    it('admits the invited address once, with the token of the mail, and forgets it with the account', async () => {
      const email = newEmail()
      const { token } = await invite(service, email)
      const person = await signUp(service, { email: email.toUpperCase(), invitation: token })
      assert.equal(person.email, email)
      assert.ok((await tablesNaming(service, email)).includes('invitations'))
      assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: person }))
      assert.deepEqual(await tablesNaming(service, email, token), [])
      await assertNotAdmitted(email, token)
    })

    it('forgets an invitation with an account that has its address for another reason', async () => {
      const person = await someone(service)
      await issue(service, person.email)
      assertSucceeded(await del(service, '/api/delete-user', { password: PASSWORD }, { as: person }))
      assert.deepEqual(await tablesNaming(service, person.email), [])
    })

    it('does not admit another address with a stolen invitation, nor the address without its token', async () => {
      const email = newEmail()
      const { token } = await invite(service, email)
      await assertNotAdmitted(newEmail(), token)
      await assertNotAdmitted(email.replace('@', '+thief@'), token)
      assertRefused(await tryRegister(service, email), 403, BY_INVITATION)
      await signUp(service, { email, invitation: token })
    })

    it('does not admit with an invitation that has expired', async () => {
      const email = newEmail()
      const { token } = await invite(service, email, 1)
      await service.advanceTime({ hours: 24 })
      await assertNotAdmitted(email, token)
    })

    it('does not admit with an invitation that was revoked or replaced', async () => {
      const email = newEmail()
      const first = await invite(service, email)
      const second = await invite(service, email)
      assertRefused(await tryRegister(service, email, first.token), 403, BY_INVITATION)
      await revoke(second.invitationId)
      await assertNotAdmitted(email, second.token)
    })

    it('does not verify a registration whose invitation was revoked, by any code', async () => {
      const email = newEmail()
      const { invitationId, token } = await invite(service, email)
      const { code } = await register(service, { email, invitation: token })
      const resetCode = await newResetCode(service, email)
      await revoke(invitationId)
      assertRefused(await verify(service, email, code), 403, BY_INVITATION)
      assertRefused(await reset(service, email, resetCode), 403, BY_INVITATION)
      assertRefused(await signInWith('idp', { email }), 403, BY_INVITATION)
    })

    it('keeps the invitation of a registration that nobody has verified', async () => {
      const email = newEmail()
      const { token } = await invite(service, email)
      await register(service, { email, invitation: token })
      await service.portico.database.query.deleteFrom('users').where('email', '=', email).execute()
      await signUp(service, { email, invitation: token })
    })

    it('admits a provider that has verified the invited address, once', async () => {
      const email = newEmail()
      const { token } = await invite(service, email)
      await register(service, { email, invitation: token })
      const person = await signedIn(service, providers.idp, providers.idp.people.admit({ email }))
      assert.equal(person.email, email)
      assertRefused(await tryRegister(service, email, token), 403, BY_INVITATION)
      const stolen = await signInWith('codehost', { email, verified: false })
      assertRefused(stolen, 400, 'Your account at the provider has no verified e-mail address')
    })

    it('creates one account of concurrent registrations and sign-ins with one invitation', async () => {
      const email = newEmail()
      const { token } = await invite(service, email)
      const { code } = await register(service, { email, invitation: token })
      const results = await Promise.all([
        ...Array.from({ length: 3 }, () => tryRegister(service, email, token)),
        verify(service, email, code),
        signInWith('idp', { email }),
        signInWith('codehost', { email }),
      ])
      assert.ok(results.every(({ status }) => status < 500))
      assert.equal(await countAccounts(service, email), 1)
      const { query } = service.portico.database
      const used = await query.selectFrom('invitations').select('used_at').where('email', '=', email).execute()
      assert.equal(used.filter(({ used_at }) => used_at !== null).length, 1)
    })

    it('does not tell which addresses have an account or an invitation', async () => {
      const [member, invited, stranger] = [(await someone(service)).email, newEmail(), newEmail()]
      await invite(service, invited)
      const asked = [member, invited, stranger].map(async (email) => ({
        email,
        response: await tryRegister(service, email, '0'.repeat(32)),
      }))
      assertAlike(...(await Promise.all(asked)))
    })

    it('lets existing accounts sign in', async () => {
      const { email } = await someone(service)
      assert.equal((await signedIn(service, providers.idp, providers.idp.people.admit({ email }))).email, email)
    })

    const revoke = (invitationId: string) =>
      revokeInvitation(service.portico).run({ body: { invitationId }, query: {}, actor: COMMAND_LINE })
  })
})

for (const engine of ENGINES) {
  describe(`two instances on ${engine}`, () => {
    it('agree at once on the mode and the domains, and on who uses an invitation', async (t) => {
      const env = await temporaryDatabase(t, engine)
      const one = await startOn(env)
      cleanUp(t, () => one.close())
      const pending = await register(one)
      const other = await startOn(env)
      cleanUp(t, () => other.close())

      await setRegistration(one, { mode: 'closed' })
      const { email: member } = await someone(one)
      const asked = [member, newEmail()].map(async (email) => ({ email, response: await tryRegister(other, email) }))
      const [known, unknown] = await Promise.all(asked)
      assert.ok(known && unknown)
      assertRefused(known.response, 403, CLOSED)
      assertAlike(known, unknown)
      assertRefused(await verify(other, pending.email, pending.code), 403, CLOSED)
      const early = newEmail()
      assertRefused(await tryRegister(other, early, await issue(one, early)), 403, CLOSED)

      await setRegistration(other, { mode: 'open', allowedDomains: ['example.com'] })
      assertRefused(await tryRegister(one, 'a@mail.example.com'), 403, BY_DOMAIN)
      assertRefused(await tryRegister(one, 'a@example.com.example.org'), 403, BY_DOMAIN)
      assertSucceeded(await tryRegister(one, 'A@EXAMPLE.COM'), 201)
      const elsewhere = 'ada@example.org'
      assertSucceeded(await tryRegister(one, elsewhere, await issue(other, elsewhere)), 201)
      // What the first has not sent after this, the second is sending.
      await one.portico.deliveryWorker.idle()
      assertSucceeded(await verify(other, elsewhere, await codeFor(other, elsewhere)))

      await setRegistration(one, { mode: 'invite', allowedDomains: [] })
      const email = newEmail()
      const token = await issue(one, email)
      const statuses = await Promise.all([one, other].map(async (at) => (await tryRegister(at, email, token)).status))
      assert.deepEqual(statuses.toSorted(), [201, 409])
      assert.equal(await countAccounts(one, email), 1)
    })
  })
}

describe('a registration that waits', () => {
  it('is refused when the site is closed meanwhile', async (t) => {
    // The password is looked up there between the first check and the hash.
    const list = await listenOnLoopback(async (_request, response) => {
      await setRegistration(service, { mode: 'closed' })
      response.end(`${'0'.repeat(35)}:0`)
    })
    cleanUp(t, () => list.close())
    const service = await startService('sqlite', { BREACHED_PASSWORDS_URL: `${list.url}/range/` })
    cleanUp(t, () => service.close())
    const email = newEmail()
    assertRefused(await tryRegister(service, email), 403, CLOSED)
    assert.equal(await countAccounts(service, email), 0)
    assert.equal(list.connections(), 1)
  })
})

describe('a stolen session of an owner', () => {
  it('cannot mail thousands of people, nor one person many times, also not in two sessions', async (t) => {
    const limits = { RATE_LIMITS: 'on', RATE_LIMIT_INVITATION: '5/1h', RATE_LIMIT_MAIL: '2/1h' }
    const service = await startService('sqlite', limits)
    cleanUp(t, () => service.close())
    const owner = await signUpOwner(service)
    const person = await signUp(service)
    const tryInvite = (as: Person, email: string) => post(service, '/api/owner/invitations', { email }, { as })
    const email = newEmail()
    assertSucceeded(await tryInvite(owner, email), 201)
    assertSucceeded(await tryInvite(owner, email), 201)
    assertRefused(await tryInvite(owner, email), 429)
    assertSucceeded(await tryInvite(owner, newEmail()), 201)
    const other = await logIn(service, owner)
    assertSucceeded(await tryInvite(other, newEmail()), 201)
    assertRefused(await tryInvite(other, newEmail()), 429)
    const { userId } = person
    assertRefused(await post(service, '/api/owner/person/reset-mail', { userId }, { as: owner }), 429)
    const sent = (await mailsTo(service, person.email)).filter(({ subject }) => /password/i.test(subject))
    assert.deepEqual(sent, [])
    // The operator on the command line is not limited.
    await invite(service, newEmail())
  })
})
