import type { FastifyInstance } from 'fastify'
import { malformed } from './bad-http.ts'
import { Refusal } from './refusal.ts'

/** For every answer, so that no page or document of ours can be framed, sniffed or scripted by another site. */
export function securityHeaders({ https }: { https: boolean }): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; img-src 'self' https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ...(https && { 'strict-transport-security': 'max-age=31536000' }),
  }
}

export function sendSecurityHeaders(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    const isMalformed = !request.headers.host && request.raw.httpVersion === '1.1'
    done(isMalformed ? new Refusal(malformed, { headers: { Connection: 'close' } }) : undefined)
  })
}
