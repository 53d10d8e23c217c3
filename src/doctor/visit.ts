import { type IncomingHttpHeaders, request as requestPlain } from 'node:http'
import { request as requestEncrypted } from 'node:https'
import type { TLSSocket } from 'node:tls'

export interface Visit {
  status: number
  headers: IncomingHttpHeaders
  body: string
  /** When the certificate of the server expires. Undefined without TLS. */
  certificateExpiresAt: Date | undefined
  sentAtMs: number
  receivedAtMs: number
}

interface VisitOptions {
  headers?: Record<string, string>
  signal: AbortSignal
}

const MAX_BODY_BYTES = 1024 * 1024

/** GET over a new connection, without following redirects. `fetch` would not tell about the certificate. */
export function visit(url: string, { headers = {}, signal }: VisitOptions): Promise<Visit> {
  const { promise, resolve, reject } = Promise.withResolvers<Visit>()
  const send = url.startsWith('https:') ? requestEncrypted : requestPlain
  const sentAtMs = Date.now()
  const request = send(url, { agent: false, headers: { accept: '*/*', ...headers }, signal }, (response) => {
    const receivedAtMs = Date.now()
    const expiry = (response.socket as Partial<TLSSocket>).getPeerCertificate?.().valid_to
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size > MAX_BODY_BYTES) request.destroy(new Error('the response is larger than 1 MiB'))
    })
    response.on('error', reject)
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks).toString(),
        certificateExpiresAt: expiry ? new Date(expiry) : undefined,
        sentAtMs,
        receivedAtMs,
      }),
    )
  })
  request
    .on('error', reject)
    // Without this listener, Node closes the connection and emits neither a response nor an error.
    .on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new Error('it switches to another protocol'))
    })
    .end()
  return promise
}

const REASONS: Record<string, string> = {
  ENOTFOUND: 'its host name cannot be resolved',
  EAI_AGAIN: 'its host name cannot be resolved',
  ECONNREFUSED: 'nothing listens there',
  ETIMEDOUT: 'it does not respond',
  EHOSTUNREACH: 'there is no route to it',
  ECONNRESET: 'it closed the connection',
  EPROTO: 'it does not speak TLS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by no authority that Node trusts',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by no authority that Node trusts',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it sends no intermediate certificate, or one that Node does not trust',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'it sends no intermediate certificate, or one that Node does not trust',
}

/** Why a visit failed, in words. */
export function reasonOf(error: unknown): { code: string; reason: string } {
  const { code = '', message = '' } = error as NodeJS.ErrnoException
  return { code, reason: REASONS[code] ? `${REASONS[code]} (${code})` : message || code }
}

/** The value of a JSON text, or undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
