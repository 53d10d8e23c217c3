import { header, plainAddress } from './client-address.ts'
import type { DiagnosticTokens } from './diagnostic-token.ts'
import type { Request } from './request.ts'
import type { HttpServer } from './server.ts'

export const DOCTOR_PATH = '/.well-known/portico-doctor'
export const DOCTOR_HEADER = 'portico-doctor'

/** The properties of a request after proxies have forwarded it. */
export interface SeenRequest {
  /** The address of the other end of the connection: the last proxy, or the client. */
  peer: string
  /** The address that the rate limits count. */
  client: string
  host: string | undefined
  forwardedFor: string | undefined
}

/**
 * Tells `portico doctor` how its own request arrived, so that it can compare the proxies with TRUSTED_PROXIES. This is
 * a hook instead of a route, so that a request without a valid token gets the 404 of an unknown path for every method.
 */
export function addDoctorHook(server: HttpServer, tokens: DiagnosticTokens, ipOf: (request: Request) => string): void {
  server.addHook((request, reply) => {
    if (request.path !== DOCTOR_PATH || request.method !== 'GET') return
    if (!tokens.isValid(header(request, DOCTOR_HEADER) ?? '')) return
    const seen: SeenRequest = {
      peer: plainAddress(request.raw.socket.remoteAddress ?? ''),
      client: ipOf(request),
      host: request.headers.host,
      forwardedFor: header(request, 'x-forwarded-for'),
    }
    reply.header('Cache-Control', 'no-store').send(seen)
  })
}
