import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  del,
  get,
  newEmail,
  PASSWORD,
  type Person,
  post,
  registration,
} from '../support/api.ts'
import { codeIn, type SmtpSink } from '../support/mail.ts'

const STEPS = ['register', 'verify', 'log in', 'profile', 'refresh', 'log out', 'delete'] as const
export type Step = (typeof STEPS)[number]

/** The state of one client that takes every step of an account, as far as the service has acknowledged it. */
export interface AccountRun {
  email: string
  done: Set<Step>
  /** The step whose response is awaited. When the response never comes, the step may or may not have happened. */
  doing: Step | undefined
  bio: string
  /** The session that began with verification, and the one that began with the log-in. */
  first?: Person
  second?: Person
}

export function newAccountRun(): AccountRun {
  return { email: newEmail(), done: new Set(), doing: undefined, bio: '' }
}

/** Takes all steps, or those up to one, one at a time. Fails when a step is not acknowledged. */
export async function runSteps(
  service: { url: string },
  sink: SmtpSink,
  run: AccountRun,
  { upTo, signal }: { upTo?: Step; signal?: AbortSignal } = {},
): Promise<void> {
  const last = upTo ? STEPS.indexOf(upTo) : STEPS.length - 1
  for (const step of STEPS.slice(0, last + 1)) {
    const send = await prepare[step](run, sink, signal)
    run.doing = step
    const response = await send(service)
    assertSucceeded(response, step === 'register' ? 201 : 200)
    record[step]?.(run, response)
    run.done.add(step)
    run.doing = undefined
  }
}

function refresh(service: { url: string }, session: Person | undefined): Promise<ApiResponse> {
  const headers = { 'x-session-id': session?.sessionId ?? '' }
  return post(service, '/api/auth/refresh-token', { refreshToken: session?.refreshToken }, { headers })
}

type Send = (service: { url: string }) => Promise<ApiResponse>

const prepare: Record<Step, (run: AccountRun, sink: SmtpSink, signal?: AbortSignal) => Send | Promise<Send>> = {
  register:
    ({ email }) =>
    (service) =>
      post(service, '/api/create-account', registration({ email })),
  async verify({ email }, sink, signal) {
    const verificationCode = await codeArrivingAt(sink, email, signal)
    return (service) => post(service, '/api/email-verification', { email, verificationCode })
  },
  'log in':
    ({ email }) =>
    (service) =>
      post(service, '/api/log-in', { email, password: PASSWORD }),
  profile:
    ({ email, first }) =>
    (service) =>
      post(service, '/api/user-details', { bio: `bio of ${email}` }, { as: first }),
  refresh:
    ({ first }) =>
    (service) =>
      refresh(service, first),
  'log out':
    ({ second }) =>
    (service) =>
      post(service, '/api/auth/logout', undefined, { as: second }),
  delete:
    ({ first }) =>
    (service) =>
      del(service, '/api/delete-user', { password: PASSWORD }, { as: first }),
}

const record: Partial<Record<Step, (run: AccountRun, response: ApiResponse) => void>> = {
  verify(run, { body: { data } }) {
    run.first = { email: run.email, password: PASSWORD, userId: data.user.userId, ...data, ...data.session }
  },
  'log in'(run, { body: { data } }) {
    run.second = { email: run.email, password: PASSWORD, userId: data.user.userId, ...data, ...data.session }
  },
  profile(run) {
    run.bio = `bio of ${run.email}`
  },
  refresh(run, { body: { data } }) {
    if (run.first) Object.assign(run.first, { accessToken: data.accessToken, refreshToken: data.refreshToken })
  },
}

async function codeArrivingAt(sink: SmtpSink, email: string, signal?: AbortSignal): Promise<string> {
  const deadline = Date.now() + 60_000
  while (sink.mailsTo(email).length === 0 && Date.now() < deadline)
    await setTimeout(5, undefined, { ...(signal && { signal }) })
  return codeIn(sink, email)
}

/** Every acknowledged step is still in effect. The step without a response may or may not have taken effect. */
export async function assertAcknowledged(
  service: { url: string },
  { email, done, doing, bio, first, second }: AccountRun,
): Promise<void> {
  if (!done.has('register') || doing === 'delete') return
  if (done.has('delete')) {
    assertRefused(await get(service, '/api/user-details', { as: first }), 401)
    return
  }
  assertRefused(await post(service, '/api/create-account', registration({ email })), 409)
  if (first) {
    const response = await get(service, '/api/user-details', { as: first })
    assertSucceeded(response)
    const bios = doing === 'profile' ? ['', `bio of ${email}`] : [bio]
    assert.ok(bios.includes(response.body.data.user.bio), `${response.body.data.user.bio} instead of ${bios}`)
    // The response of this exchange was lost. The old refresh token is accepted for half a minute only, so it is not
    // tried.
    if (doing !== 'refresh') assertSucceeded(await refresh(service, first))
  }
  if (second && doing !== 'log out') {
    const response = await get(service, '/api/user-details', { as: second })
    if (done.has('log out')) assertRefused(response, 401)
    else assertSucceeded(response)
  }
}

/** A person who has just logged in and whose account is kept. */
export async function createKeptAccount(service: { url: string }, sink: SmtpSink): Promise<Person> {
  const run = newAccountRun()
  await runSteps(service, sink, run, { upTo: 'profile' })
  if (!run.first) throw new Error('the verification began no session')
  return run.first
}
