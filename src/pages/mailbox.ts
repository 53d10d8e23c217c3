import { notFound, Refusal } from '../http/refusal.ts'
import type { Routes } from '../http/routes.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import type { DeliveryWorker } from '../mail/delivery-worker.ts'
import type { Mailbox, StoredMail } from '../mail/mailbox.ts'
import { sendDevPage } from './dev-page.ts'
import { withLinks } from './text-links.ts'

/** Serves the development mailbox as HTML and as JSON. */
export function showMailbox(app: Routes, mailbox: Mailbox, deliveryWorker: DeliveryWorker): void {
  app.get('/dev/mailbox', async (request, reply) => {
    const [to] = [request.query.to].flat()
    // Waits for the delivery of due mails, so that a mail is listed as soon as the request that caused it has its response.
    await deliveryWorker.idle()
    const mails = await mailbox.list(to)
    reply.header('Cache-Control', 'no-store').header('Vary', 'Accept')
    if (request.headers.accept?.includes('application/json')) return { mails }
    const whose = to ? ` to <b>${escapeHtml(to)}</b>` : ''
    const none = `<p class="empty">No mail yet${whose}. Create an account, and its code appears here.</p>`
    return sendDevPage(
      reply,
      'Mailbox',
      `Mail that Portico would have sent${whose}.${to ? ' <a href="?">Show all</a>.' : ''} <a href="/">Back to the site</a>.`,
      mails.map(article).join('\n') || none,
    )
  })

  app.get('/dev/mailbox/*', async (request, reply) => {
    const mail = (await mailbox.list()).find(({ id }) => request.path.endsWith(`/${id}`))
    if (!mail) throw new Refusal(notFound)
    // Mails have inline styles. The sandbox and `default-src 'none'` block everything else.
    return reply
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-store')
      .header('Content-Security-Policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'")
      .send(mail.html)
  })
}

function article({ id, to, subject, text, date }: StoredMail): string {
  return `<article>
<h2>${escapeHtml(subject)}</h2>
<p class="meta">to <a href="?to=${encodeURIComponent(to)}">${escapeHtml(to)}</a> · <time datetime="${date}">${date.slice(0, 19).replace('T', ' ')} UTC</time> · <a href="/dev/mailbox/${id}">as HTML</a></p>
<pre>${withLinks(text).text}</pre>
</article>`
}
