import { html } from '../html.ts'
import { type Begun, beginSession } from './begin-session.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export function verifyEmailPage(parts: AccountPageParts): OpenPage {
  return {
    path: '/verify-email',
    title: 'Verify your e-mail address',
    description: 'Enter the code that was mailed to you, or ask for a new one.',
    access: 'anyone',
    calls: ['POST /api/email-verification', 'POST /api/email-verification/resend'],
    scripts: ['code-field'],
    main({ query, visitor }, entry) {
      if (visitor && visitor.user.email === query.get('email')) {
        return html`<p>Your address is verified, and you are signed in: <a href="/account">to your account</a>.</p>`
      }
      // A link from a mail fills in the fields. It does nothing else: programs that look through mail follow links too.
      const [verify, resend] = [entry.of('verify'), entry.of('resend')]
      const email = query.get('email') ?? ''
      return html`${verify.form(
        html`${verify.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email })}
${verify.code({ name: 'verificationCode', label: 'Code', hint: 'Six digits. It works for ten minutes.', value: query.get('code') ?? '' })}`,
        'Verify',
      )}
<details${(resend.value('email', '') || verify.isRefusedWith(400)) && html` open`}>
<summary>No mail, or the code is too old?</summary>
${resend.form(
  resend.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email }),
  'Send a new code',
  { look: 'quiet' },
)}
</details>`
    },
    forms: {
      async verify(visit, { fields }) {
        const begun = await visit.perform<Begun>('POST /api/email-verification', fields)
        return { to: '/account', notice: 'email-verified', cookies: await beginSession(parts, visit, begun) }
      },
      async resend({ perform }, { fields }) {
        const { email } = await perform<{ email: string }>('POST /api/email-verification/resend', fields)
        return { to: `/verify-email?${new URLSearchParams({ email })}`, notice: 'code-resent' }
      },
    },
  }
}
