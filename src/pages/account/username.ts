import { html } from '../html.ts'
import type { MemberPage } from './page.ts'

export function usernamePage(): MemberPage {
  return {
    path: '/account/username',
    title: 'Username',
    description: 'Change your username. It can be changed once.',
    access: 'members',
    calls: ['GET /api/change-username', 'POST /api/change-username'],
    scripts: ['username-check'],
    main({ visitor: { user } }, formState) {
      if (user.has_changed_username) {
        return html`<section class="card">
<h2>You are ${user.username}</h2>
<p>You have changed your username, and it stays as it is now.</p>
</section>`
      }
      const form = formState.of('username')
      return html`<section class="card">
<h2>You are ${user.username}</h2>
<p>You can choose another name, once: after that it stays.</p>
${form.form(
  form.input({
    name: 'username',
    label: 'New username',
    autocomplete: 'off',
    hint: '3 to 30 letters, digits, dots, dashes or underscores.',
    attributes: html` autocapitalize="none" spellcheck="false" data-check="/account/username/check"`,
  }),
  'Change the username',
)}
</section>`
    },
    forms: {
      async username({ perform }, { fields }) {
        await perform('POST /api/change-username', fields)
        return { to: '/account/username', notice: 'username-changed' }
      },
    },
  }
}
