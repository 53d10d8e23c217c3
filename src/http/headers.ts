import type { FastifyInstance } from 'fastify'
import { malformed } from './bad-http.ts'
import { Refusal } from './refusal.ts'

/** For every answer, so that no page or document of ours can be framed, sniffed or scripted by another site. */
export function securityHeaders({ https }: { https: boolean }): Record<string, string> {
  return {
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Content-Security-Policy':
      "default-src 'none'; style-src 'self'; img-src 'self' https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ...(https && { 'Strict-Transport-Security': 'max-age=31536000' }),
  }
}

export function sendSecurityHeaders(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers).header('X-Request-Id', request.id)
    if (!request.headers.host && request.raw.httpVersion === '1.1') {
      throw new Refusal(malformed, { headers: { Connection: 'close' } })
    }
  })
}
