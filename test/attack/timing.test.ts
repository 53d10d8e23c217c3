import assert from 'node:assert/strict'
import type { Argon2Parameters } from 'node:crypto'
import { before, describe, it, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { crowd, removePassword, reset, tryLogIn, verify } from '../support/accounts.ts'
import { type ApiResponse, newEmail, post } from '../support/api.ts'
import { exportOf, importFile } from '../support/people-files.ts'
import { addApp } from '../support/second-factor.ts'
import { onBothEngines, type Service } from '../support/service.ts'
import { withRealHashes } from '../support/test-speed.ts'

const TRIES = 3
// OWASP's second recommendation for Argon2id.
const USUAL_HASH = { memory: 19456, passes: 2, parallelism: 1 }
// Fifty milliseconds, by a timer that may fire slightly early.
const MIN_RESPONSE_MS = 49
// Half a second, likewise.
const MIN_FAILED_LOG_IN_MS = 499
const WRONG_CODE = 'no code'
const GROUPS = ['unknown', 'unverified', 'verified', 'without a password', 'with a second factor'] as const
type Group = (typeof GROUPS)[number]

describe('whether an address has an account, is verified, or has a password or a second factor', () => {
  withRealHashes()
  onBothEngines((service) => {
    /** One address per try: the effect of one request must not change the response to the next. */
    const emails = {} as Record<Group, string[]>
    before(async () => {
      for (const group of GROUPS) {
        const people = await crowd(service, TRIES)
        if (group === 'with a second factor') for (const person of people) await addApp(service, person)
        emails[group] = people.map(({ email }) => email)
      }
      emails.unknown = Array.from({ length: TRIES }, newEmail)
      await unverify(service, emails.unverified)
      for (const email of emails['without a password']) await removePassword(service, email)
    })

    /**
     * The hashes are by far the most work. They are counted, because a measured time would include the load of the
     * machine.
     */
    async function assertSameHashes(t: TestContext, tryOnce: (email: string) => Promise<ApiResponse>) {
      const hashes = watchHashes(t)
      for (let round = 0; round < TRIES; round++) {
        const computed: Record<string, unknown[]> = {}
        for (const group of GROUPS) {
          await tryOnce(emails[group][round] ?? '')
          computed[group] = hashes()
        }
        assert.deepEqual(computed, Object.fromEntries(GROUPS.map((group) => [group, [USUAL_HASH]])))
      }
    }

    // The long tests measure the times on a quiet machine. This test checks the mechanism, on any machine.
    for (const [what, tryOnce] of Object.entries<(email: string) => Promise<ApiResponse>>({
      'forgot-password': (email) => post(service, '/api/forgot-password', { email }),
      'email-verification/resend': (email) => post(service, '/api/email-verification/resend', { email }),
      'log-in/code': (email) => post(service, '/api/log-in/code', { email }),
      'a wrong code for log-in/code/verify': (email) =>
        post(service, '/api/log-in/code/verify', { email, code: WRONG_CODE }),
      'a wrong code for email-verification': (email) => verify(service, email, WRONG_CODE),
    })) {
      it(`is not disclosed by the duration of ${what}: no response is sent before the minimum time`, async () => {
        for (const group of GROUPS) {
          const begun = performance.now()
          await tryOnce(emails[group][0] ?? '')
          assert.ok(performance.now() - begun >= MIN_RESPONSE_MS, group)
        }
      })
    }

    it('is not disclosed by the number of hashes of a wrong code for reset-password', (t) =>
      assertSameHashes(t, (email) => reset(service, email, WRONG_CODE)))

    it('is not disclosed by the number of hashes of a wrong password for log-in', (t) =>
      assertSameHashes(t, (email) => tryLogIn(service, email, 'Wrong-Horse-7')))

    it('is not disclosed by the duration of a wrong password for log-in, once people were imported', async () => {
      await importFile(service, exportOf('better-auth.json'))
      for (const email of ['ada@example.com', ...GROUPS.map((group) => emails[group][0] ?? '')]) {
        const begun = performance.now()
        assert.equal((await tryLogIn(service, email, 'Wrong-Horse-7')).status, 401)
        assert.ok(performance.now() - begun >= MIN_FAILED_LOG_IN_MS, email)
      }
    })
  })
})

async function unverify({ portico: { database } }: Service, emails: string[]): Promise<void> {
  await database.query.updateTable('users').set({ email_verified_at: null }).where('email', 'in', emails).execute()
}

/** Returns the cost of each password hash that was requested since the last call. */
function watchHashes(t: TestContext): () => unknown[] {
  const { mock } = t.mock.method(Worker.prototype, 'postMessage')
  let seen = 0
  return () => {
    const asked = mock.calls.slice(seen).map((call) => call.arguments[0] as Partial<Argon2Parameters>)
    seen = mock.callCount()
    return asked
      .filter(({ passes }) => passes !== undefined)
      .map(({ memory, passes, parallelism }) => ({ memory, passes, parallelism }))
  }
}
