import { notice } from '../components.ts'
import { type Html, html } from '../html.ts'
import { type Begun, beginSession } from './begin-session.ts'
import type { FormView } from './form-view.ts'
import { mailboxHint } from './mailbox-hint.ts'
import { codeFields, readMailedLink } from './mailed-code.ts'
import type { OpenPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export function verifyEmailPage(parts: AccountPageParts): OpenPage {
  const { config, codes, store } = parts
  return {
    path: '/verify-email',
    title: 'Verify your e-mail address',
    description: 'Enter the code that was mailed to you, or ask for a new one.',
    access: 'anyone',
    calls: ['POST /api/email-verification', 'POST /api/email-verification/resend'],
    scripts: ['code-field'],
    async main({ request, query, visitor }, formState) {
      const link = await readMailedLink(codes, 'verification', query)
      // The link was used before, or the address is the visitor's own.
      if (visitor && (link.isInvalid || visitor.user.email === query.get('email'))) {
        return html`<div class="card">
<p>You are signed in, and your address is verified.</p>
<a class="button" href="/account">Go to your account</a>
</div>`
      }
      const [verify, resend] = [formState.of('verify'), formState.of('resend')]
      if (link.isInvalid) {
        return html`<div class="card">
${notice('problem', html`This link is too old or was used already. If you have verified your address, <a href="/log-in">log in</a>. Otherwise ask for a new mail.`)}
${resendForm(resend, link.email)}
</div>`
      }
      const form = verify.form(codeFields(verify, 'verificationCode', link), 'Verify')
      if (link.token) {
        return html`<div class="card">
<p>Press Verify to finish signing up with this address. If you did not sign up, close this page.</p>
${form}
</div>`
      }
      return html`<div class="card">
${mailboxHint(config, request, link.email)}
${form}
<details${(resend.value('email', '') || verify.isRefusedWith(400)) && html` open`}>
<summary>No mail, or the code is too old?</summary>
${resendForm(resend, verify.value('email', link.email))}
</details>
</div>`
    },
    forms: {
      async verify(visit, { fields }) {
        const begun = await visit.perform<Begun>('POST /api/email-verification', fields)
        const cookies = await beginSession(parts, visit, begun)
        const user = await store.findById(begun.user.userId)
        if (user?.password_hash === null) {
          return { to: '/account/security', notice: 'password-needed', cookies }
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

function resendForm(form: FormView, email: string): Html {
  return form.form(
    form.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email }),
    'Send a new code',
    { look: 'quiet' },
  )
}
