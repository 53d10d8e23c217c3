import type { IncomingHttpHeaders } from 'node:http'
import type { DescribedOperation, Description } from '../support/api-description.ts'
import type { FuzzRequest } from './requests.ts'
import type { FuzzResponse } from './send.ts'

export interface Descriptions {
  /** The account API. */
  api: Description
  /** The public content. */
  content: Description
}

// A refusal of any route, before its operation begins: a bad body, or one that is too large.
const OF_EVERY_ROUTE = [400, 413]
// No route of the API: an unknown path, another method, or no HTTP.
const OF_NO_ROUTE = [400, 404, 405, 413, 417, 431]
// Pages are read, redirect, and have forms that may be refused.
const OF_THE_SITE = [...OF_NO_ROUTE, 200, 204, 302, 303, 304, 308, 401, 403]
const OF_THE_API = /^\/api(\/|$)/
const INTERNALS =
  /node_modules|\.[cm]?[tj]s:\d|^\s+at \S+ \(|\b(Type|Reference|Range|Syntax|Aggregate)?Error:|SQLITE|FST_ERR|\bERR_[A-Z]|ECONN|Kysely|\bpg_|\/tmp\/|\bundefined\b|\[object /m

/** The fault of a response, or undefined when it is correct. */
export function faultOf(
  { api, content }: Descriptions,
  asked: FuzzRequest,
  response: FuzzResponse,
): string | undefined {
  const { method } = asked
  const [path = ''] = asked.path.split('?')
  const described = [api, content].find(({ operations }) => operations.some(isFor(method, path)))
  const operation = described?.operations.find(isFor(method, path))
  const { status, headers } = response
  if (isOverload(response, operation)) return undefined
  if (status >= 500) return `responded with ${status}`
  if (status >= 400 && INTERNALS.test(String(response.body)))
    return `shows its inside: ${INTERNALS.exec(String(response.body))?.[0]}`
  if (method === 'HEAD') return response.body.length > 0 ? 'has a body' : undefined

  if (described && operation && String(status) in operation.responses) {
    const types = operation.responses[status]?.content
    if (!types) return undefined
    const type = typeOf(headers)
    if (!(type in types)) return `is ${type || 'of no type'}, which is not described`
    const body = type.endsWith('json') ? parsed(response) : String(response.body)
    return (
      described.faultOf({ method, path, status, type }, body) ?? (described === api ? idFault(response) : undefined)
    )
  }
  if (operation) return unexpected(status, OF_EVERY_ROUTE) ?? failureFault(api, response)
  if (OF_THE_API.test(path))
    return status === 200 ? undefined : (unexpected(status, OF_NO_ROUTE) ?? failureFault(api, response))
  if (!OF_THE_SITE.includes(status)) return unexpected(status, OF_THE_SITE)
  if (status < 400 || typeOf(headers) !== 'application/json') return undefined
  return content.faultBy('Error', parsed(response)) && failureFault(api, response)
}

/** The same for bytes that may have been no request at all. */
export function rawFaultOf({ api, content }: Descriptions, response: FuzzResponse): string | undefined {
  const { status, headers, body } = response
  if (status >= 500) return `responded with ${status}`
  if (status < 400) return undefined
  if (INTERNALS.test(String(body))) return `shows its inside: ${INTERNALS.exec(String(body))?.[0]}`
  if (typeOf(headers) !== 'application/json') return undefined
  return failureFault(api, response) && content.faultBy('Error', parsed(response))
}

/**
 * The one accepted 503: so many passwords are hashed concurrently that the queue is full. The response has Retry-After.
 */
function isOverload({ status, headers, body }: FuzzResponse, operation: DescribedOperation | undefined): boolean {
  const { properties = {} } = operation?.requestBody?.content['application/json']?.schema ?? {}
  const hashes = Object.values(properties).some(({ format }) => format === 'password')
  return (
    hashes && status === 503 && headers['retry-after'] === '5' && /"Service temporarily unavailable"/.test(String(body))
  )
}

function isFor(method: string, path: string) {
  return (operation: DescribedOperation) => operation.path === path && operation.method === method
}

function unexpected(status: number, expected: number[]): string | undefined {
  return expected.includes(status) ? undefined : `responded with ${status}, which is not described`
}

function failureFault(api: Description, response: FuzzResponse): string | undefined {
  return api.faultBy('Failure', parsed(response)) ?? idFault(response)
}

function idFault(response: FuzzResponse): string | undefined {
  const body = parsed(response) as { requestId?: string }
  return body.requestId === response.headers['x-request-id'] ? undefined : 'has another requestId than its header'
}

function typeOf(headers: IncomingHttpHeaders): string {
  return (headers['content-type'] ?? '').split(';')[0] ?? ''
}

function parsed({ body }: FuzzResponse): unknown {
  try {
    return JSON.parse(String(body))
  } catch {
    return undefined
  }
}
