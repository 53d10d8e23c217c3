import assert from 'node:assert/strict'
import { NEW_PASSWORD, reset, tryLogIn, verify } from './account-steps.ts'
import { codeFor, get, linkFor, newEmail, PASSWORD, post, registration } from './api.ts'
import { assertRefused, assertSucceeded } from './envelope.ts'
import type { Service } from './service.ts'

// A resend is the same request whoever sends it.
type Step = 'attacker registers' | 'owner registers' | 'somebody resends'
type Proof = 'verifies' | 'resets'
export interface Order {
  steps: Step[]
  proof: Proof
}

const STEPS: Step[] = ['attacker registers', 'owner registers', 'somebody resends']
export const ATTACKER = { firstName: 'Mallory', lastName: 'Malicious', ...twice('Mallory-Knows-1') }
export const OWNER = { firstName: 'Grace', lastName: 'Hopper', ...twice(PASSWORD) }

/**
 * Every order of so many steps before the owner proves the mailbox. Left out are orders that begin with a resend, which
 * does nothing then, and those in which the owner never registers: they cannot be told from the attacker's own account.
 */
export function ordersUpTo(length: number): Order[] {
  let longest: Step[][] = [['attacker registers'], ['owner registers']]
  const all = [...longest]
  for (let count = 2; count <= length; count++) {
    longest = longest.flatMap((steps) => STEPS.map((step) => [...steps, step]))
    all.push(...longest)
  }
  return all
    .filter((steps) => steps.includes('owner registers'))
    .flatMap((steps) => (['verifies', 'resets'] as const).map((proof) => ({ steps, proof })))
}

/** Goes through one order: afterwards nothing that the attacker chose works or is shown, and the owner can log in. */
export async function assertOwnerAlone(service: Service, { steps, proof }: Order): Promise<void> {
  const email = newEmail()
  for (const [number, step] of steps.entries()) await take(service, email, step, number === 0)
  const isPlain = proof === 'verifies' && !steps.includes('attacker registers')
  const password =
    proof === 'verifies' ? await verifyAsOwner(service, email, isPlain) : await resetAsOwner(service, email)
  // Whatever the attacker does now comes too late.
  await take(service, email, 'attacker registers', false)
  await take(service, email, 'somebody resends', false)

  await assertNothingOfAttacker(service, email)
  const answer = await tryLogIn(service, email, password)
  assertSucceeded(answer)
  const { firstName, lastName } = answer.body.data.user
  assert.deepEqual([firstName, lastName], isPlain ? ['Grace', 'Hopper'] : [email.split('@')[0], ''])
}

export async function assertNothingOfAttacker(service: Service, email: string): Promise<void> {
  assertRefused(await tryLogIn(service, email, ATTACKER.password), 401, 'Invalid email or password')
  const account = await service.portico.store.findByEmail(email)
  assert.ok(account)
  assert.notEqual(account.email_verified_at, null)
  // The hash is left out: random letters may spell anything.
  assert.doesNotMatch(JSON.stringify({ ...account, password_hash: '' }), /mal/i)
}

async function take(service: Service, email: string, step: Step, isFirst: boolean): Promise<void> {
  // One mail after the other, so that the newest is known.
  await service.portico.deliveryWorker.idle()
  if (step === 'somebody resends') {
    assertSucceeded(await post(service, '/api/email-verification/resend', { email }))
    return
  }
  const person = step === 'attacker registers' ? ATTACKER : OWNER
  const answer = await post(service, '/api/create-account', registration({ ...person, email }))
  if (isFirst) assertSucceeded(answer, 201)
  else assertRefused(answer, 409, 'Email already registered')
}

/** With the newest mail, and then sets the first password unless the account still has one. Answers the password. */
async function verifyAsOwner(service: Service, email: string, isPlain: boolean): Promise<string> {
  const answer = await verify(service, email, await codeFor(service, email))
  assertSucceeded(answer)
  const { accessToken, session, user } = answer.body.data
  const as = { accessToken, sessionId: session.sessionId }
  const { body } = await get(service, '/api/user-details', { as })
  const { hasPassword, firstName, lastName, username } = body.data.user
  assert.equal(hasPassword, isPlain)
  assert.deepEqual(user, { userId: body.data.user._id, email, firstName, lastName, username })
  const { sessions } = (await get(service, '/api/sessions', { as })).body.data
  assert.equal(sessions.length, 1)
  if (isPlain) return PASSWORD
  const first = { newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
  assertSucceeded(await post(service, '/api/change-password', first, { as }))
  return NEW_PASSWORD
}

async function resetAsOwner(service: Service, email: string): Promise<string> {
  await service.portico.deliveryWorker.idle()
  assertSucceeded(await post(service, '/api/forgot-password', { email }))
  assertSucceeded(await reset(service, email, (await linkFor(service, email)).token))
  return NEW_PASSWORD
}

function twice(password: string) {
  return { password, confirmPassword: password }
}
