import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { IncomingMessage, RequestOptions } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { Config } from '../config/config.ts'
import { requestOf } from '../http/node-http.ts'
import { version } from '../lib/version.ts'
import { checkedAddresses, type Resolve } from './address-policy.ts'

const TIMEOUT_MS = 5000
const MAX_RESPONSE_BYTES = 64 * 1024

interface OutgoingWebhook {
  url: string
  headers: Record<string, string>
  body: string
}

/** Sends a request and returns the status of the response. Rejects when there is none within TIMEOUT_MS. */
export type SendWebhook = (webhook: OutgoingWebhook) => Promise<number>

const resolveBySystem: Resolve = (host) => lookup(host, { all: true })

export function createSendWebhook(
  config: Pick<Config, 'mode' | 'webhookPrivateAddresses'>,
  resolve: Resolve = resolveBySystem,
  timeoutMs = TIMEOUT_MS,
): SendWebhook {
  return async ({ url: text, headers, body }) => {
    const url = new URL(text)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const resolved = checkedAddresses(url, config, resolve)
      const addresses = await Promise.race([resolved, rejectOn(signal)])
      return await post(url, addresses, { signal, headers }, body)
    } catch (error) {
      throw signal.aborted ? new Error(`there was no response within ${timeoutMs / 1000} seconds`) : error
    }
  }
}

/** POST over a connection of its own to one of these addresses. Node follows no redirects. */
async function post(url: URL, addresses: LookupAddress[], options: RequestOptions, body: string): Promise<number> {
  const request = requestOf(url.protocol)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request(url, {
    ...options,
    method: 'POST',
    agent: false,
    lookup: lookupOf(addresses),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': `Portico/${version}`,
      ...options.headers,
    },
  })
    .on('response', resolve)
    .on('error', reject)
    // Node destroys the connection of a response that switches to another protocol, without an error.
    .on('close', () => reject(new Error('the connection was closed without a response')))
    .end(body)
  const response = await promise
  await discard(response)
  return response.statusCode ?? 0
}

/** A lookup that returns these addresses for every host. */
function lookupOf(addresses: LookupAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first = { address: '', family: 0 }] = addresses
    if (all) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
}

/**
 * Reads the body, so that the receiver sees no reset connection, up to MAX_RESPONSE_BYTES or until the time is over.
 * The status has decided by now.
 */
async function discard(response: IncomingMessage): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of response) {
      bytes += chunk.length
      if (bytes > MAX_RESPONSE_BYTES) break
    }
  } catch {}
}

async function rejectOn(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort')
  throw signal.reason
}
