import { PAGE_CSP } from '../http/headers.ts'
import { notFound, Refusal } from '../http/refusal.ts'
import type { Routes } from '../http/routes.ts'
import { COLOUR_SCHEMES, DARK_QUERY } from '../mail/html-part.ts'
import type { Message } from '../mail/message.ts'
import type { Messages } from '../mail/messages.ts'
import { sampleMessages } from '../mail/sample-messages.ts'
import { sendDevPage } from './dev-page.ts'
import { type Html, html } from './html.ts'
import type { Frame } from './layout.ts'
import { sendMailDocument } from './mail-document.ts'

const SCHEMES = ['light', 'dark'] as const
type Scheme = (typeof SCHEMES)[number]

/**
 * Serves /dev/mails, which shows every mail that Portico can send, and each mail as a document of its own: in
 * the colour scheme of the system, or with `?scheme=` in the named one.
 */
export function showMails(app: Routes, messages: Messages, frame: () => Promise<Frame>): void {
  app.get('/dev/mails', async (_request, reply) => {
    const samples = sampleMessages(messages)
    reply.header('Content-Security-Policy', `${PAGE_CSP}; frame-src 'self'`)
    return sendDevPage(reply, await frame(), {
      path: '/dev/mails',
      isWide: true,
      intro: 'Every mail that Portico can send, with sample data, in the title and the colours of this site.',
      main: html`<nav class="mail-index" aria-label="Mails">
${samples.map(({ name, message }) => html`<a href="#${name}">${message.subject}</a>\n`)}</nav>
${samples.map(({ name, message }) => specimen(name, message))}`,
    })
  })

  app.get('/dev/mails/*', async (request, reply) => {
    const sample = sampleMessages(messages).find(({ name }) => request.path === `/dev/mails/${name}`)
    if (!sample) throw new Refusal(notFound)
    const scheme = SCHEMES.find((each) => each === request.query.scheme)
    const mail = sample.message.html
    return sendMailDocument(reply, scheme ? inScheme(mail, scheme) : mail, { isFramed: true })
  })
}

function specimen(name: string, { subject, text }: Message): Html {
  return html`<section class="specimen" aria-labelledby="${name}">
<h2 id="${name}">${subject}</h2>
<p class="meta"><code>${name}</code> · <a href="/dev/mails/${name}">Open the mail alone</a></p>
<div class="mail-frames">
${SCHEMES.map(
  (scheme) => html`<figure>
<figcaption>${scheme === 'light' ? 'Light' : 'Dark'}</figcaption>
<iframe sandbox loading="lazy" src="/dev/mails/${name}?scheme=${scheme}" title="${subject}, ${scheme}"></iframe>
</figure>
`,
)}</div>
<details>
<summary>Plain text</summary>
<pre class="mail" tabindex="0">${text}</pre>
</details>
</section>
`
}

/** The mail as a mail program shows it in this colour scheme, independent of the scheme of the system. */
function inScheme(mail: string, scheme: Scheme): string {
  return mail.replaceAll(DARK_QUERY, scheme === 'dark' ? 'all' : 'not all').replaceAll(COLOUR_SCHEMES, scheme)
}
