import type { Reply } from '../http/reply.ts'

/**
 * Sends the HTML part of a mail as a document. Mails have inline styles. The sandbox and `default-src 'none'` block
 * everything else.
 */
export function sendMailDocument(reply: Reply, html: string, { isFramed }: { isFramed: boolean }): Reply {
  const policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
  return reply
    .type('text/html; charset=utf-8')
    .header('Cache-Control', 'no-store')
    .header('Content-Security-Policy', `${policy}; frame-ancestors ${isFramed ? "'self'" : "'none'"}`)
    .header('X-Frame-Options', isFramed ? 'SAMEORIGIN' : 'DENY')
    .send(html)
}
