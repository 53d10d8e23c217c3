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
  /** Much longer than anything may take, so that a busy machine is not taken for a service that hangs. */
  seconds: number
}

export const AT_ONCE = 32
const KEEP_ALIVE: ClientOptions = { agent: new Agent({ keepAlive: true, maxSockets: AT_ONCE }), seconds: 60 }
const FRESH: ClientOptions = { agent: new Agent({ keepAlive: false }), seconds: 60 }

/** Sends a request as it stands, over a connection that is kept. Fails when there is no answer, or none in time. */
export async function send(url: string, asked: FuzzRequest, people: People, line = KEEP_ALIVE): Promise<FuzzResponse> {
  const { method, path, headers, body } = filled(asked, people)
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<FuzzResponse>()
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const asking = request(
    { hostname, port, path, method, agent: line.agent, headers: { ...headers, ...length } },
    (response) => {
      const { statusCode: status = 0, headers: received } = response
      buffer(response).then((read) => resolve({ status, headers: received, body: decoded(read, received) }), reject)
    },
  )
  asking.on('error', reject)
  asking.setTimeout(line.seconds * 1000, () => asking.destroy(new Error(`no answer in ${line.seconds} seconds`)))
  asking.end(body)
  return promise.catch((error: NodeJS.ErrnoException) => {
    // The service may have closed the connection at the very moment at which we chose it: that is no failure of it.
    if (asking.reusedSocket && error.code === 'ECONNRESET') return send(url, asked, people, FRESH)
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
