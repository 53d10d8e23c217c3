import assert from 'node:assert/strict'
import { NEW_PASSWORD, reset, tryLogIn, verify } from './accounts.ts'
import { assertRefused, assertSucceeded, codeFor, get, linkFor, newEmail, PASSWORD, post, registration } from './api.ts'
import type { Service } from './service.ts'

// A resend is the same request for the owner and the attacker.
type Step = 'attacker registers' | 'owner registers' | 'a resend'
type Proof = 'verifies' | 'resets'
export interface Order {
  steps: Step[]
  proof: Proof
}

const STEPS: Step[] = ['attacker registers', 'owner registers', 'a resend']
export const ATTACKER = { firstName: 'Mallory', lastName: 'Malicious', ...twice('Mallory-Knows-1') }
export const OWNER = { firstName: 'Grace', lastName: 'Hopper', ...twice(PASSWORD) }

/**
 * Every order of at most this many steps before the owner proves control of the mailbox. Orders that begin with a
 * resend are left out because that resend does nothing. Orders in which the owner never registers are left out because
 * they cannot be distinguished from the attacker's own account.
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

/** Runs one order. Afterwards nothing that the attacker chose works or is shown, and the owner can log in. */
export async function assertOwnerAlone(service: Service, { steps, proof }: Order): Promise<void> {
  const email = newEmail()
  for (const [number, step] of steps.entries()) await take(service, email, step, number === 0)
  const isPlain = proof === 'verifies' && !steps.includes('attacker registers')
  const password =
    proof === 'verifies' ? await verifyAsOwner(service, email, isPlain) : await resetAsOwner(service, email)
  // Any further request of the attacker comes too late.
  await take(service, email, 'attacker registers', false)
  await take(service, email, 'a resend', false)

  await assertNothingOfAttacker(service, email)
  const response = await tryLogIn(service, email, password)
  assertSucceeded(response)
  const { firstName, lastName } = response.body.data.user
  assert.deepEqual([firstName, lastName], isPlain ? ['Grace', 'Hopper'] : [email.split('@')[0], ''])
}

export async function assertNothingOfAttacker(service: Service, email: string): Promise<void> {
  assertRefused(await tryLogIn(service, email, ATTACKER.password), 401, 'Invalid email or password')
  const account = await service.portico.store.findByEmail(email)
  assert.ok(account)
  assert.notEqual(account.email_verified_at, null)
  // The hash is left out: its random letters could contain any text.
  assert.doesNotMatch(JSON.stringify({ ...account, password_hash: '' }), /mal/i)
}

async function take(service: Service, email: string, step: Step, isFirst: boolean): Promise<void> {
  // One mail at a time, so that the newest is known.
  await service.portico.deliveryWorker.idle()
  if (step === 'a resend') {
    assertSucceeded(await post(service, '/api/email-verification/resend', { email }))
    return
  }
  const person = step === 'attacker registers' ? ATTACKER : OWNER
  const response = await post(service, '/api/create-account', registration({ ...person, email }))
  if (isFirst) assertSucceeded(response, 201)
  else assertRefused(response, 409, 'Email already registered')
}

/** Uses the newest mail, then sets the first password unless the account still has one. Returns the password. */
async function verifyAsOwner(service: Service, email: string, isPlain: boolean): Promise<string> {
  const response = await verify(service, email, await codeFor(service, email))
  assertSucceeded(response)
  const { accessToken, session, user } = response.body.data
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
