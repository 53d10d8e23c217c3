import { html } from '../html.ts'
import { type Begun, beginSession } from './begin-session.ts'
import { arrivalOf, codeFields, deadLink } from './mailed-code.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export function verifyEmailPage(parts: AccountPageParts): OpenPage {
  const { codes, store } = parts
  return {
    path: '/verify-email',
    title: 'Verify your e-mail address',
    description: 'Enter the code that was mailed to you, or ask for a new one.',
    access: 'anyone',
    calls: ['POST /api/email-verification', 'POST /api/email-verification/resend'],
    scripts: ['code-field'],
    async main({ query, visitor }, entry) {
      if (visitor && visitor.user.email === query.get('email')) {
        return html`<p>Your address is verified, and you are signed in: <a href="/account">to your account</a>.</p>`
      }
      const arrival = await arrivalOf(codes, 'verification', query)
      const [verify, resend] = [entry.of('verify'), entry.of('resend')]
      return html`${deadLink(arrival)}
${verify.form(codeFields(verify, 'verificationCode', arrival), 'Verify')}
<details${(resend.value('email', '') || verify.isRefusedWith(400) || arrival.isDeadLink) && html` open`}>
<summary>No mail, or the code is too old?</summary>
${resend.form(
  resend.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: arrival.email }),
  'Send a new code',
  { look: 'quiet' },
)}
</details>`
    },
    forms: {
      async verify(visit, { fields }) {
        const begun = await visit.perform<Begun>('POST /api/email-verification', fields)
        const cookies = await beginSession(parts, visit, begun)
        const user = await store.findById(begun.user.userId)
        if (user?.password_hash === null) {
          return { to: '/account/security#password', notice: 'password-needed', cookies }
        }
        return { to: '/account', notice: 'email-verified', cookies }
      },
      async resend({ perform }, { fields }) {
        const { email } = await perform<{ email: string }>('POST /api/email-verification/resend', fields)
        return { to: `/verify-email?${new URLSearchParams({ email })}`, notice: 'code-resent' }
      },
    },
  }
}
