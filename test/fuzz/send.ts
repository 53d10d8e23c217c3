import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { People } from './people.ts'
import type { FuzzRequest } from './requests.ts'

export interface FuzzResponse {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface ClientOptions {
  agent: Agent
  /** Much longer than any request may take, so that a busy machine does not look like a service that hangs. */
  seconds: number
}

export const CONCURRENCY = 32
const KEEP_ALIVE: ClientOptions = { agent: new Agent({ keepAlive: true, maxSockets: CONCURRENCY }), seconds: 60 }
const FRESH: ClientOptions = { agent: new Agent({ keepAlive: false }), seconds: 60 }

/** Sends a request over a keep-alive connection. Fails without a response before the timeout. */
export async function send(url: string, asked: FuzzRequest, people: People, line = KEEP_ALIVE): Promise<FuzzResponse> {
  const { method, path, headers, body } = filled(asked, people)
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<FuzzResponse>()
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = request(
    { hostname, port, path, method, agent: line.agent, headers: { ...headers, ...length } },
    (response) => {
      const { statusCode: status = 0, headers: received } = response
      buffer(response).then((read) => resolve({ status, headers: received, body: decoded(read, received) }), reject)
    },
  )
  sent.on('error', reject)
  sent.setTimeout(line.seconds * 1000, () => sent.destroy(new Error(`no response in ${line.seconds} seconds`)))
  sent.end(body)
  return promise.catch((error: NodeJS.ErrnoException) => {
    // The service may have closed the connection at the moment at which the agent chose it: that is no failure.
    if (sent.reusedSocket && error.code === 'ECONNRESET') return send(url, asked, people, FRESH)
    throw error
  })
}

function decoded(body: Buffer, { 'content-encoding': encoding }: IncomingHttpHeaders): Buffer {
  if (body.length === 0) return body
  if (encoding === 'br') return brotliDecompressSync(body)
  return encoding === 'gzip' ? gunzipSync(body) : body
}

export function filled({ method, path, headers, body }: FuzzRequest, { fill }: Pick<People, 'fill'>): FuzzRequest {
  return {
    method,
    path: fill(path),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
    ...(body !== undefined && { body: typeof body === 'string' ? fill(body) : body }),
  }
}
