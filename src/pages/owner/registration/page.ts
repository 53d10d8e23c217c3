import type { listInvitations } from '../../../owner/list-invitations.ts'
import type { readRegistration } from '../../../owner/read-registration.ts'
import { html } from '../../html.ts'
import { markdownPath } from '../../layout.ts'
import type { DataOf, DeskPage } from '../page.ts'
import { addressWith, askedIn, pager } from '../pager.ts'
import { chosenInMarkdown } from '../shown-values.ts'
import { invitationInMarkdown, invitationTable, inviteForm, noInvitations } from './invitations.ts'
import { modeWords, settingsCard } from './settings.ts'

export const REGISTRATION_PATH = '/owner/registration'
const READ = 'GET /api/owner/registration'
const CHANGE = 'POST /api/owner/registration'
const LIST = 'GET /api/owner/invitations'
const INVITE = 'POST /api/owner/invitations'
const REVOKE = 'DELETE /api/owner/invitations'

export function registrationPage(): DeskPage {
  return {
    path: REGISTRATION_PATH,
    tab: REGISTRATION_PATH,
    description: 'Who may create an account, and the invitations.',
    calls: [READ, CHANGE, LIST, INVITE, REVOKE],
    scripts: [],
    async read({ perform, query }) {
      const asked = askedIn(query, ['limit', 'after'])
      const registration = await perform<DataOf<typeof readRegistration>>(READ)
      const { invitations, next } = await perform<DataOf<typeof listInvitations>>(LIST, asked)
      const linkTo = (after: string, path = REGISTRATION_PATH) => addressWith(path, { ...asked, after })
      return {
        title: 'Registration',
        main: (formState) => html`<h1>Registration</h1>
<div class="settings">
${settingsCard(registration, formState.of('change'))}
<section aria-labelledby="invitations">
<h2 id="invitations">Invitations</h2>
${inviteForm(formState.of('invite'))}
${invitations.length > 0 ? invitationTable(invitations, formState) : noInvitations(registration, asked.after)}
${pager({ first: asked.after && linkTo(''), next: next === null ? undefined : linkTo(next) })}
</section>
</div>`,
        markdown: () =>
          [
            `- Mode: ${registration.mode}. ${modeWords(registration.mode)}\n- Allowed domains: ${chosenInMarkdown(registration.allowedDomains.join(', ')) || 'all'}`,
            '## Invitations',
            invitations.map(invitationInMarkdown).join('\n') || 'None.',
            next !== null && `[Next page](${linkTo(next, markdownPath(REGISTRATION_PATH))})`,
          ]
            .filter(Boolean)
            .join('\n\n'),
      }
    },
    forms: {
      async change({ perform }, { fields: { mode, allowedDomains = '' } }) {
        await perform(CHANGE, { mode, allowedDomains: allowedDomains.split(/[\s,;]+/).filter(Boolean) })
        return { to: REGISTRATION_PATH, notice: 'registration-changed' }
      },
      async invite({ perform }, { fields: { email, days } }) {
        await perform(INVITE, { email, days: Number(days) })
        return { to: REGISTRATION_PATH, notice: 'invitation-sent' }
      },
      async revoke({ perform, request }, { fields: { invitationId } }) {
        await perform(REVOKE, { invitationId })
        return { to: request.url, notice: 'invitation-revoked' }
      },
    },
  }
}
