import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { removePassword, reset, tryLogIn, verify } from '../support/account-steps.ts'
import { type Answer, newEmail, post } from '../support/api.ts'
import { crowd } from '../support/crowd.ts'
import { onBothEngines } from '../support/on-both-engines.ts'
import type { Service } from '../support/service.ts'

const TRIES = 10
const CLOSE_ENOUGH = 5
// Fifty milliseconds, by a timer that may be a moment early.
const EVEN_TIME = 49
const WRONG_CODE = 'no code'
const GROUPS = ['unknown', 'unverified', 'verified', 'without a password'] as const
type Group = (typeof GROUPS)[number]

describe('whether an address has an account, is verified or has a password', () => {
  onBothEngines((service) => {
    /** As many addresses as tries: whatever one answer changes, no other is asked about the same person. */
    const emails = {} as Record<Group, string[]>
    before(async () => {
      for (const group of GROUPS) emails[group] = (await crowd(service, TRIES)).map(({ email }) => email)
      emails.unknown = Array.from({ length: TRIES }, newEmail)
      await unverify(service, emails.unverified)
      for (const email of emails['without a password']) await removePassword(service, email)
    })

    /** One try of each group after the other, so that whatever else the machine does slows all of them alike. */
    async function assertAlike(tryOnce: (email: string) => Promise<Answer>) {
      const measured = GROUPS.map(() => [] as number[])
      for (let round = 0; round < TRIES; round++) {
        for (const [number, group] of GROUPS.entries()) {
          const begun = process.cpuUsage()
          await tryOnce(emails[group][round] ?? '')
          // What hashing costs is seen in the time of the processor: the clock also counts who else is using it.
          const { user, system } = process.cpuUsage(begun)
          measured[number]?.push((user + system) / 1000)
        }
      }
      const usual = measured.map(undisturbed)
      const told = GROUPS.map((group, number) => `${group}: ${usual[number]?.toFixed(2)} ms`).join(', ')
      assert.ok(Math.max(...usual) - Math.min(...usual) < CLOSE_ENOUGH, told)
    }

    // How alike the times are is measured on a quiet machine, by the long tests; what makes them alike is seen on any.
    for (const [what, tryOnce] of Object.entries<(email: string) => Promise<Answer>>({
      'forgot-password': (email) => post(service, '/api/forgot-password', { email }),
      'email-verification/resend': (email) => post(service, '/api/email-verification/resend', { email }),
      'a wrong code for email-verification': (email) => verify(service, email, WRONG_CODE),
    })) {
      it(`does not show in the time that ${what} takes: no answer comes before all of them could`, async () => {
        for (const group of GROUPS) {
          const begun = performance.now()
          await tryOnce(emails[group][0] ?? '')
          assert.ok(performance.now() - begun >= EVEN_TIME, group)
        }
      })
    }

    it('does not show in the work that a wrong code for reset-password makes', () =>
      assertAlike((email) => reset(service, email, WRONG_CODE)))

    it('does not show in the work that a wrong password for log-in makes', () =>
      assertAlike((email) => tryLogIn(service, email, 'Wrong-Horse-7')))
  })
})

async function unverify({ portico: { database } }: Service, emails: string[]): Promise<void> {
  await database.query.updateTable('users').set({ email_verified_at: null }).where('email', 'in', emails).execute()
}

/** As an attacker would: the quickest tries tell the most, since nothing else got in their way. */
function undisturbed(measured: number[]): number {
  return measured.sort((a, b) => a - b)[Math.floor(measured.length / 10)] ?? Number.NaN
}
