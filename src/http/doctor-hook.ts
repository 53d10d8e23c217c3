import { header, plainAddress } from './client.ts'
import type { DoctorPass } from './doctor-pass.ts'
import type { Request } from './request.ts'
import type { HttpServer } from './server.ts'

export const DOCTOR_PATH = '/.well-known/portico-doctor'
export const DOCTOR_HEADER = 'portico-doctor'

/** A request as the service sees it after proxies. */
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
 * a hook and no route: a request without a valid pass gets the 404 of every unknown path, whatever its method.
 */
export function addDoctorHook(server: HttpServer, pass: DoctorPass, ipOf: (request: Request) => string): void {
  server.addHook((request, reply) => {
    if (request.path !== DOCTOR_PATH || request.method !== 'GET') return
    if (!pass.isValid(header(request, DOCTOR_HEADER) ?? '')) return
    const seen: SeenRequest = {
      peer: plainAddress(request.raw.socket.remoteAddress ?? ''),
      client: ipOf(request),
      host: request.headers.host,
      forwardedFor: header(request, 'x-forwarded-for'),
    }
    reply.header('Cache-Control', 'no-store').send(seen)
  })
}
