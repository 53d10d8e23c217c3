import { invalid } from '../../http/refusal.ts'
import { html } from '../html.ts'
import type { MemberPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export function dataPage({ browserSession }: AccountPageParts): MemberPage {
  return {
    path: '/account/data',
    title: 'Data',
    description: 'Delete the account and everything that belongs to it, for good.',
    access: 'members',
    calls: ['DELETE /api/delete-user'],
    scripts: ['show-password'],
    main({ visitor: { user } }, entry) {
      const form = entry.of('delete')
      return html`<section class="card framed">
<h2>Delete your account</h2>
<p>Your profile, picture, sessions, linked sign-ins and history are deleted at once. Nobody can bring them back. Your e-mail address can be used to sign up again.</p>
${form.form(
  html`<input type="text" autocomplete="username" value="${user.email}" hidden readonly>
${
  user.password_hash === null
    ? form.checkbox({ name: 'sure', label: 'Yes, delete my account' })
    : form.password({ name: 'password', label: 'Your password', autocomplete: 'current-password' })
}`,
  'Delete my account',
  { look: 'danger' },
)}
</section>`
    },
    forms: {
      async delete({ perform, visitor: { user } }, { fields }) {
        if (user.password_hash === null && !fields.sure)
          throw invalid('sure', 'required', 'Please say that you are sure')
        await perform('DELETE /api/delete-user', fields)
        return { to: '/sign-up', notice: 'account-deleted', cookies: [browserSession.clear()] }
      },
    },
  }
}
