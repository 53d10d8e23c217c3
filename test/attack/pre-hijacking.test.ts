import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { insertUser } from '../../src/accounts/new-user.ts'
import { hashPassword } from '../../src/accounts/password-hash.ts'
import { startSession, tokenPair } from '../../src/sessions/start.ts'
import {
  assertAlive,
  assertEnded,
  countAccounts,
  linkedProviders,
  listSessions,
  MEMBER,
  newResetCode,
  newVerificationCode,
  ownProfile,
  register,
  reset,
  TEST_CLIENT_INFO,
  tryLogIn,
  verify,
} from '../support/accounts.ts'
import {
  assertRefused,
  assertSucceeded,
  eventTypes,
  mailsTo,
  newEmail,
  PASSWORD,
  type Person,
  post,
  registration,
} from '../support/api.ts'
import { untilLockIsAwaited } from '../support/concurrency.ts'
import { PROVIDER_NAMES, withProviders } from '../support/providers.ts'
import { reachCallback, signedIn, visit } from '../support/sign-in-steps.ts'

const ATTACKER = { firstName: 'Mallory', lastName: 'Malicious' }

describe("an attacker who registers another user's address before its owner", () => {
  withProviders((service, providers, engine) => {
    /** A session of an unverified account. The API creates no such session. */
    async function beginSession({ userId, email, firstName }: Awaited<ReturnType<typeof register>>): Promise<Person> {
      const { database, tokens } = service.portico
      const owner = { id: userId, email, first_name: firstName, ...MEMBER }
      const session = await database.transaction((tx) =>
        startSession(tx, service.portico, owner, 'email', ['pwd'], TEST_CLIENT_INFO),
      )
      return { email, password: PASSWORD, userId, sessionId: session.sessionId, ...tokenPair(tokens, session) }
    }

    for (const name of PROVIDER_NAMES) {
      const ownerComes = (email: string) => signedIn(service, providers[name], providers[name].people.admit({ email }))

      it(`cannot log in after the owner has signed in with the ${name}`, async () => {
        const { email } = await register(service, ATTACKER)
        const owner = await ownerComes(email)
        assertRefused(await tryLogIn(service, email, PASSWORD), 401, 'Invalid email or password')
        assert.equal(await countAccounts(service, email), 1)
        const sessions = await listSessions(service, owner)
        assert.deepEqual(
          sessions.map(({ sessionId }) => sessionId),
          [owner.sessionId],
        )
      })

      it(`cannot use a code that was mailed before the owner signed in with the ${name}`, async () => {
        const { email } = await register(service, ATTACKER)
        const resetCode = await newResetCode(service, email)
        const verificationCode = await newVerificationCode(service, email)
        const owner = await ownerComes(email)
        assertRefused(await verify(service, email, verificationCode), 400, 'Invalid or expired verification code')
        assertRefused(await reset(service, email, resetCode), 400, 'Invalid or expired reset token')
        const profile = await ownProfile(service, owner)
        assert.equal(profile.hasPassword, false)
        assert.equal((await listSessions(service, owner)).length, 1)
      })

      it(`gets no new verification code after the owner has signed in with the ${name}`, async () => {
        const { email } = await register(service, ATTACKER)
        await ownerComes(email)
        assertSucceeded(await post(service, '/api/email-verification/resend', { email }))
        const subjects = (await mailsTo(service, email)).map(({ subject }) => subject)
        assert.deepEqual(subjects, ['Verify your e-mail address - Portico'])
      })

      it(`has no session any more, however it began, after the owner has signed in with the ${name}`, async () => {
        const attacker = await register(service, ATTACKER)
        const session = await beginSession(attacker)
        await assertAlive(service, session)
        const owner = await ownerComes(attacker.email)
        await assertEnded(service, session)
        await assertAlive(service, owner)
      })

      it(`gains nothing by registering while the owner is signing in with the ${name}`, async () => {
        const email = newEmail()
        const passwordHash = await hashPassword(PASSWORD)
        const subject = providers[name].people.admit({ email })
        const { callback, cookie } = await reachCallback(service, providers[name], subject)
        const { database } = service.portico
        const { signingIn } = await database.transaction(async (tx) => {
          const names = { ...ATTACKER, preferredUsername: undefined, avatar: undefined }
          const attacker = { ...names, email, passwordHash, authMethod: 'email', isVerified: false } as const
          assert.ok(await insertUser(tx, database.now, attacker))
          const signingIn = visit(service, callback, { cookie })
          // On PostgreSQL the owner's transaction has found no account by now, and finds this one only when it is
          // committed.
          if (engine === 'postgres') await untilLockIsAwaited(service)
          return { signingIn }
        })
        assertSucceeded(await signingIn)
        assertRefused(await tryLogIn(service, email, PASSWORD), 401, 'Invalid email or password')
        const account = await service.portico.store.findByEmail(email)
        assert.equal(account?.password_hash, null)
        assert.notEqual(account?.email_verified_at, null)
        assert.equal(account?.first_name, 'Ada')
      })

      it(`leaves no name to the owner who signs in with the ${name}`, async () => {
        const { email } = await register(service, ATTACKER)
        const subject = providers[name].people.admit({ email })
        const { firstName, lastName, avatar } = providers[name].people.get(subject)
        const owner = await signedIn(service, providers[name], subject)
        const profile = await ownProfile(service, owner)
        assert.deepEqual(profile, {
          ...profile,
          firstName,
          lastName,
          avatar,
          email,
          authMethod: name,
          hasPassword: false,
        })
        assert.doesNotMatch(JSON.stringify({ ...profile, _id: '' }), /mal/i)
        assert.deepEqual(await linkedProviders(service, owner), [name])
        const [started, linked] = await eventTypes(service, owner)
        assert.deepEqual([started, linked], ['session.started', 'sign-in.linked'])
      })
    }

    it('loses the account to the second registration of the owner, who then signs in with a provider', async () => {
      const { email } = await register(service, ATTACKER)
      assertRefused(await post(service, '/api/create-account', registration({ email })), 409)
      const subject = providers.idp.people.admit({ email })
      await signedIn(service, providers.idp, subject)
      const account = await service.portico.store.findByEmail(email)
      assert.deepEqual([account?.registered_again, account?.password_hash], [0, null])
    })

    it('cannot lock the owner out of a verified account', async () => {
      const { email, code } = await register(service)
      assertSucceeded(await verify(service, email, code))
      await signedIn(service, providers.idp, providers.idp.people.admit({ email }))
      assertSucceeded(await tryLogIn(service, email, PASSWORD))
    })
  })
})
