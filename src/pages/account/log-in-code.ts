import { html } from '../html.ts'
import { returnPath } from './log-in.ts'
import type { OpenPage } from './page.ts'

export function logInCodePage(): OpenPage {
  return {
    path: '/log-in/code',
    title: 'Log in with a code',
    description: 'Ask for a code by mail, and log in with it instead of a password.',
    access: 'guests',
    calls: ['POST /api/log-in/code', 'POST /api/log-in/code/verify'],
    main({ query }, formState) {
      const form = formState.of('code')
      const returnTo = returnPath(form.value('return_to', query.get('return_to') ?? ''))
      return html`<div class="card">
<p>Enter the address of your account. If there is one, we mail you a code and a link to log in.</p>
${form.form(
  html`<input type="hidden" name="return_to" value="${returnTo}">
${form.input({
  name: 'email',
  label: 'E-mail',
  type: 'email',
  autocomplete: 'username',
  value: query.get('email') ?? '',
})}`,
  'Mail me a code',
)}
</div>
<p class="aside"><a href="/log-in">Log in with a password</a></p>`
    },
    forms: {
      async code({ perform }, { fields }) {
        await perform('POST /api/log-in/code', fields)
        const query = new URLSearchParams({ email: fields.email ?? '', return_to: returnPath(fields.return_to) })
        return { to: `/log-in/code/verify?${query}`, notice: 'log-in-code-sent' }
      },
    },
  }
}
