import { invalid } from '../../http/refusal.ts'
import { isoTime } from '../../lib/dates.ts'
import { html } from '../html.ts'
import type { MemberPage } from './page.ts'
import type { AccountPageParts } from './parts.ts'

export function dataPage({ browserSession }: AccountPageParts): MemberPage {
  return {
    path: '/account/data',
    title: 'Data',
    description: 'Download everything that the account has, or delete it for good.',
    access: 'members',
    calls: ['GET /api/user-data', 'DELETE /api/delete-user'],
    scripts: ['show-password'],
    main({ visitor: { user } }, formState) {
      const [download, form] = [formState.of('download'), formState.of('delete')]
      return html`<section class="card">
<h2>Download your data</h2>
<p>One file with everything that your account has: profile, pictures, sessions, history, and the ways you sign in. It has no passwords and no keys. We mail you that it was downloaded.</p>
${download.form(html``, 'Download my data')}
</section>
<section class="card framed">
<h2>Delete your account</h2>
<p>Your profile, picture, passkeys, connected accounts, sessions and history are deleted at once. Nobody can bring them back. Your e-mail address can be used to sign up again.</p>
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
      async download({ perform, visitor: { user } }) {
        const data = await perform('GET /api/user-data')
        const name = `account-data-${user.username}-${isoTime(Date.now()).slice(0, 10)}.json`
        return { file: { name, type: 'application/json; charset=utf-8', content: JSON.stringify(data, null, 2) } }
      },
      async delete({ perform, visitor: { user } }, { fields }) {
        if (user.password_hash === null && !fields.sure)
          throw invalid('sure', 'required', 'Please say that you are sure')
        await perform('DELETE /api/delete-user', fields)
        return { to: '/sign-up', notice: 'account-deleted', cookies: [browserSession.clear()] }
      },
    },
  }
}
