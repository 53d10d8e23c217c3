import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { assertSucceeded, call, get, registration } from '../support/api.ts'
import { startBreachedList } from '../support/breached-passwords.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startCodeHost } from '../support/code-host.ts'
import { startOpenIdProvider } from '../support/openid-provider.ts'
import { type SignInProvider, visitProvider } from '../support/providers.ts'
import { ACCEPT_JSON, begin, startLoggedSignIns } from '../support/sign-in-steps.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN_ID = '00f067aa0ba902b7'
const TRACED = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01`, tracestate: 'vendor=1' }

/** All requests to servers of this process, which the services that Portico calls are. */
function incoming(t: TestContext): IncomingMessage[] {
  const requests: IncomingMessage[] = []
  const record = (message: unknown) => void requests.push((message as { request: IncomingMessage }).request)
  subscribe('http.server.request.start', record)
  cleanUp(t, () => void unsubscribe('http.server.request.start', record))
  return requests
}

/** A sign-in whose callback belongs to a trace. Returns the requests to the provider and the log lines. */
async function signInTraced(t: TestContext, startProvider: () => Promise<SignInProvider>, settings: object) {
  const provider = await startProvider()
  cleanUp(t, () => provider.close())
  const service = await startLoggedSignIns('sqlite', { ...provider.settings, ...settings })
  cleanUp(t, () => service.close())
  const { authorizationUrl, cookie } = await begin(service, provider)
  const callback = await visitProvider(authorizationUrl, provider.people.admit())
  const requests = incoming(t)
  const response = await get(service, callback, { headers: { accept: ACCEPT_JSON, cookie, ...TRACED } })
  assert.equal(response.status, 200, JSON.stringify(response.body))
  const port = new URL(service.url).port
  return {
    calls: requests.filter(({ headers }) => !headers.host?.endsWith(`:${port}`)),
    lines: service.lines.map((line) => JSON.parse(line)),
  }
}

function assertPassedOn(calls: Pick<IncomingMessage, 'headers'>[]): void {
  const spans = calls.map(({ headers: { traceparent, tracestate } }) => {
    assert.equal(tracestate, 'vendor=1')
    return new RegExp(`^00-${TRACE_ID}-([\\da-f]{16})-01$`).exec(String(traceparent))?.[1]
  })
  assert.ok(!spans.includes(undefined))
  assert.equal(new Set([...spans, SPAN_ID]).size, calls.length + 1)
}

describe('the trace of a trusted proxy', () => {
  const TRUSTED = { TRUSTED_PROXIES: '127.0.0.1' }

  it('is logged, and passed on to a code host', async (t) => {
    const { calls, lines } = await signInTraced(t, startCodeHost, TRUSTED)
    assert.equal(calls.length, 3)
    assertPassedOn(calls)
    const { traceId, spanId } = lines.findLast(({ message, path }) => message === 'request' && path.includes('oauth'))
    assert.deepEqual([traceId, spanId], [TRACE_ID, SPAN_ID])
  })

  it('is passed on to an OpenID provider', async (t) => {
    const { calls } = await signInTraced(t, startOpenIdProvider, TRUSTED)
    assert.ok(calls.length >= 2)
    assertPassedOn(calls)
  })

  it('is passed on to the list of breached passwords', async (t) => {
    const list = await startBreachedList(t, [])
    const service = await startLoggedSignIns('sqlite', { ...TRUSTED, BREACHED_PASSWORDS_URL: list.url })
    cleanUp(t, () => service.close())
    assertSucceeded(await call(service, 'POST', '/api/create-account', registration(), { headers: TRACED }), 201)
    assert.equal(list.requests.length, 1)
    assertPassedOn(list.requests)
  })

  it('is on the line of an error', async (t) => {
    const { lines, url, close } = await startLoggedSignIns('sqlite', {
      ...TRUSTED,
      IDP_ISSUER: 'http://127.0.0.1:9',
      IDP_CLIENT_ID: 'id',
      IDP_CLIENT_SECRET: 'secret',
    })
    cleanUp(t, close)
    const { status } = await get({ url }, '/api/oauth/idp/start', { headers: TRACED })
    assert.equal(status, 502)
    const error = lines.map((line) => JSON.parse(line)).find(({ err }) => err)
    assert.deepEqual([error?.traceId, error?.spanId], [TRACE_ID, SPAN_ID])
  })
})

describe('the trace of any other client', () => {
  it('is neither logged nor passed on', async (t) => {
    const { calls, lines } = await signInTraced(t, startCodeHost, { TRUSTED_PROXIES: '10.0.0.1' })
    assert.equal(calls.length, 3)
    for (const { headers } of calls) assert.deepEqual([headers.traceparent, headers.tracestate], [undefined, undefined])
    assert.ok(!JSON.stringify(lines).includes(TRACE_ID))
  })
})
