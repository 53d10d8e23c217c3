import { html } from '../html.ts'
import type { OpenPage } from './page.ts'

export function forgotPasswordPage(): OpenPage {
  return {
    path: '/forgot-password',
    title: 'Forgot your password?',
    description: 'Ask for a code by mail, with which you can choose a new password.',
    access: 'anyone',
    calls: ['POST /api/forgot-password'],
    main({ visitor, query }, formState) {
      const form = formState.of('forgot')
      return html`<div class="card">
<p>Enter the address of your account. If there is one, we mail you a code and a link to choose a new password.</p>
${form.form(
  form.input({
    name: 'email',
    label: 'E-mail',
    type: 'email',
    autocomplete: 'username',
    value: query.get('email') ?? visitor?.user.email ?? '',
  }),
  'Mail me a code',
)}
</div>
<p class="aside"><a href="/log-in">Back to log in</a></p>`
    },
    forms: {
      async forgot({ perform }, { fields }) {
        await perform('POST /api/forgot-password', fields)
        return {
          to: `/reset-password?${new URLSearchParams({ email: fields.email ?? '' })}`,
          notice: 'reset-code-sent',
        }
      },
    },
  }
}
