import { notFound, Refusal } from '../http/refusal.ts'
import type { Routes } from '../http/routes.ts'
import type { DeliveryWorker } from '../mail/delivery-worker.ts'
import type { Mailbox, StoredMail } from '../mail/mailbox.ts'
import { moment } from './dates.ts'
import { sendDevPage } from './dev-page.ts'
import { type Html, html } from './html.ts'
import type { Frame } from './layout.ts'
import { sendMailDocument } from './mail-document.ts'
import { withLinks } from './text-links.ts'

/** Serves the development mailbox as HTML and as JSON. */
export function showMailbox(
  app: Routes,
  mailbox: Mailbox,
  deliveryWorker: DeliveryWorker,
  frame: () => Promise<Frame>,
): void {
  app.get('/dev/mailbox', async (request, reply) => {
    const [to] = [request.query.to].flat()
    // Waits for the delivery of due mails, so that a mail is listed as soon as the request that caused it has its
    // response.
    await deliveryWorker.idle()
    const mails = await mailbox.list(to)
    reply.header('Cache-Control', 'no-store').header('Vary', 'Accept')
    if (request.headers.accept?.includes('application/json')) return { mails }
    const whose = to && html` to <b>${to}</b>`
    return sendDevPage(reply, await frame(), {
      path: '/dev/mailbox',
      intro: html`Mail that Portico would have sent${whose}.${to && html` <a href="?">Show all</a>.`}`,
      main:
        mails.length > 0
          ? html`${mails.map(article)}`
          : html`<div class="empty"><p>No mail yet${whose}.</p><p><a class="button quiet" href="/sign-up">Create an account</a></p></div>`,
    })
  })

  app.get('/dev/mailbox/*', async (request, reply) => {
    const mail = (await mailbox.list()).find(({ id }) => request.path.endsWith(`/${id}`))
    if (!mail) throw new Refusal(notFound)
    return sendMailDocument(reply, mail.html, { isFramed: false })
  })
}

function article({ id, to, subject, text, date }: StoredMail): Html {
  return html`<article class="card">
<h2>${subject}</h2>
<p>to <a href="?to=${encodeURIComponent(to)}">${to}</a> · ${moment(new Date(date))} · <a href="/dev/mailbox/${id}">as HTML</a></p>
<pre class="mail">${withLinks(text)}</pre>
</article>
`
}
