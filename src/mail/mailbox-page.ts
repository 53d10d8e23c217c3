import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '../escape-html.ts'
import type { Courier } from './courier.ts'
import type { KeptMail, Mailbox } from './mailbox.ts'

/** Development only: the mails that would have been sent, for a person to read and for a script to fetch. */
export function showMailbox(app: FastifyInstance, mailbox: Mailbox, courier: Courier): void {
  app.get<{ Querystring: { to?: string } }>('/dev/mailbox', async (request, reply) => {
    const [to] = [request.query.to].flat()
    // Whoever was just told that a mail is on its way finds it here.
    await courier.idle()
    const mails = await mailbox.list(to)
    reply.header('Cache-Control', 'no-store').header('Vary', 'Accept')
    if (request.headers.accept?.includes('application/json')) return { mails }
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', `default-src 'none'; style-src '${styleHash}'; frame-ancestors 'none'`)
      .send(page(mails, to))
  })

  app.get<{ Params: { id: string } }>('/dev/mailbox/:id', async (request, reply) => {
    const mail = (await mailbox.list()).find(({ id }) => id === request.params.id)
    if (!mail) return reply.callNotFound()
    // Mails style themselves inline, as mail readers want it; the sandbox keeps everything else out.
    return reply
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'")
      .send(mail.html)
  })
}

function page(mails: KeptMail[], to: string | undefined): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailbox</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>Mailbox</h1>
<p>Mail that Portico would have sent${to ? ` to <b>${escapeHtml(to)}</b>` : ''}. It exists in development only.</p>
</header>
<main>
${mails.map(article).join('\n') || '<p class="empty">No mail yet. Create an account, and its code appears here.</p>'}
</main>
</body>
</html>
`
}

function article({ id, to, subject, text, date }: KeptMail): string {
  return `<article>
<h2>${escapeHtml(subject)}</h2>
<p class="meta">to <a href="?to=${encodeURIComponent(to)}">${escapeHtml(to)}</a> · <time datetime="${date}">${date.slice(0, 19).replace('T', ' ')} UTC</time> · <a href="/dev/mailbox/${id}">as HTML</a></p>
<pre>${escapeHtml(text)}</pre>
</article>`
}

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c1c1a, #ecece6); --soft: light-dark(#6b6b64, #a3a39a);
  --line: light-dark(#e2e2dc, #3a3a36); --paper: light-dark(#fff, #242422); --ground: light-dark(#f4f4f1, #191918);
  --link: light-dark(#0b57d0, #8ab4f8) }
body { margin: 0 auto; max-width: 44rem; padding: 2rem 1rem 4rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif }
h1 { margin: 0 } h2 { margin: 0; font-size: 1.1rem }
header p, .meta, .empty { margin: .25rem 0 1.5rem; color: var(--soft) }
.meta { margin-bottom: 1rem; font-size: .875rem } a { color: var(--link) }
article { margin-bottom: 1rem; padding: 1.25rem 1.5rem; background: var(--paper); border: 1px solid var(--line); border-radius: .75rem }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .9rem/1.6 ui-monospace, monospace }
`
const styleHash = `sha256-${createHash('sha256').update(style).digest('base64')}`
