import type { SecurityEvents } from '../../accounts/list-security-events.ts'
import { passwordRules } from '../../accounts/password-policy.ts'
import type { Static } from '../../http/schema.ts'
import type { LinkedAccounts } from '../../oauth/list-linked-accounts.ts'
import type { Session, Sessions } from '../../sessions/list.ts'
import { moment } from '../dates.ts'
import { type Html, html } from '../html.ts'
import type { Entry } from './entry.ts'
import type { MemberPage, MemberVisit } from './page.ts'
import type { AccountPageParts } from './parts.ts'

const PATH = '/account/security'
const EVENTS_SHOWN = 10

export function securityPage(parts: AccountPageParts): MemberPage {
  return {
    path: PATH,
    title: 'Security',
    description: 'Your password, the ways you sign in, the devices that are signed in, and the recent activity.',
    access: 'members',
    calls: [
      'POST /api/change-password',
      'GET /api/linked-accounts',
      'POST /api/linked-accounts',
      'DELETE /api/linked-accounts',
      'GET /api/sessions',
      'DELETE /api/sessions',
      'DELETE /api/sessions/others',
      'GET /api/security-events',
    ],
    scripts: ['show-password', 'password-rules', 'relative-times'],
    async main(visit, entry) {
      const [{ sessions }, { linkedAccounts }, { events }] = await Promise.all([
        visit.perform<Static<typeof Sessions>>('GET /api/sessions'),
        visit.perform<Static<typeof LinkedAccounts>>('GET /api/linked-accounts'),
        visit.perform<Static<typeof SecurityEvents>>('GET /api/security-events', { limit: EVENTS_SHOWN }),
      ])
      return html`${passwordPart(parts, visit, linkedAccounts.length > 0, entry)}
${linkedPart(parts, linkedAccounts, entry)}
${sessionsPart(sessions, entry)}
<section class="card">
<h2>Recent activity</h2>
<p>If something here was not you, change your password and sign out the devices that you do not know.</p>
<ul class="events">${events.map(
        (event) => html`<li><strong>${event.description}</strong> ${timeOf(event.createdAt)}
<span>${programOf(event)}, at ${event.ipAddress}</span></li>`,
      )}</ul>
</section>`
    },
    forms: {
      async password({ perform, visitor: { user } }, { fields }) {
        await perform('POST /api/change-password', fields)
        return { to: PATH, notice: user.password_hash === null ? 'password-set' : 'password-changed' }
      },
      async link({ perform }, { fields }) {
        const { url } = await perform<{ url: string }>('POST /api/linked-accounts', fields)
        return { to: url }
      },
      async unlink({ perform }, { fields }) {
        await perform('DELETE /api/linked-accounts', fields)
        return { to: PATH, notice: 'sign-in-unlinked' }
      },
      async revoke({ perform }, { fields }) {
        await perform('DELETE /api/sessions', fields)
        return { to: PATH, notice: 'session-revoked' }
      },
      async 'revoke-others'({ perform }) {
        await perform('DELETE /api/sessions/others')
        return { to: PATH, notice: 'sessions-revoked' }
      },
    },
  }
}

function passwordPart(
  { config }: AccountPageParts,
  { visitor: { user } }: MemberVisit,
  hasLinks: boolean,
  entry: Entry,
): Html {
  const form = entry.of('password')
  const isFirst = user.password_hash === null
  return html`<section class="card">
<h2 id="password">Password</h2>
<p>${isFirst ? `You have no password yet. ${hasLinks ? 'With one, you can log in without a provider.' : 'Set one now: without it, you cannot log in again.'}` : 'Changing it signs out all your other devices.'}</p>
${form.form(
  html`<input type="text" autocomplete="username" value="${user.email}" hidden readonly>
${!isFirst && form.password({ name: 'currentPassword', label: 'Current password', autocomplete: 'current-password' })}
${form.newPassword({ name: 'newPassword', label: 'New password', autocomplete: 'new-password', rules: passwordRules(config.passwordPolicy) })}
${form.password({ name: 'confirmPassword', label: 'Confirm new password', autocomplete: 'new-password' })}`,
  isFirst ? 'Set the password' : 'Change the password',
)}
</section>`
}

function linkedPart(
  { providers }: AccountPageParts,
  linked: Static<typeof LinkedAccounts>['linkedAccounts'],
  entry: Entry,
): Html | undefined {
  const configured = Object.values(providers).filter((provider) => provider !== undefined)
  if (configured.length === 0 && linked.length === 0) return undefined
  const [link, unlink] = [entry.of('link'), entry.of('unlink')]
  const titleOf = (name: string) => configured.find((provider) => provider.name === name)?.title ?? name
  const others = configured.filter(({ name }) => !linked.some(({ provider }) => provider === name))
  return html`<section class="card">
<h2>Other ways to sign in</h2>
<p>An account at one of these providers signs in here too.</p>
<ul class="cards">${linked.map(
    ({ provider, username, linkedAt }) => html`<li>
<div><strong>${titleOf(provider)}</strong>
<p>As ${username}, connected ${timeOf(linkedAt)}</p></div>
${unlink.form(html`<input type="hidden" name="provider" value="${provider}">`, 'Remove', { look: 'quiet' })}
</li>`,
  )}${others.map(
    ({ name, title }) => html`<li>
<div><strong>${title}</strong>
<p>Not connected</p></div>
${link.form(html`<input type="hidden" name="provider" value="${name}">`, `Connect ${title}`, { look: 'quiet' })}
</li>`,
  )}</ul>
</section>`
}

function sessionsPart(sessions: Static<typeof Session>[], entry: Entry): Html {
  const active = sessions.filter(({ revokedAt }) => revokedAt === null)
  const ended = sessions.filter(({ revokedAt }) => revokedAt !== null)
  const [one, others] = [entry.of('revoke'), entry.of('revoke-others')]
  return html`<section class="card">
<h2>Where you are signed in</h2>
<p>Browser and device names are what each device reports about itself.</p>
<ul class="cards">${active.map(
    (session) => html`<li>
<div>${sessionFacts(session)}
<p>Last active ${timeOf(session.lastActiveAt)}, signed in ${timeOf(session.createdAt)}</p></div>
${!session.isCurrent && one.form(html`<input type="hidden" name="sessionId" value="${session.sessionId}">`, 'Sign out', { look: 'quiet' })}
</li>`,
  )}</ul>
${active.length > 1 && others.form(html``, 'Sign out all other devices', { look: 'quiet' })}
${
  ended.length > 0 &&
  html`<details>
<summary>${ended.length} ${ended.length === 1 ? 'session' : 'sessions'} ended in the last 30 days</summary>
<ul class="cards">${ended.map(
    (session) => html`<li><div>${sessionFacts(session)}
<p>Ended ${timeOf(session.revokedAt ?? '')}</p></div></li>`,
  )}</ul>
</details>`
}
</section>`
}

function sessionFacts(session: Static<typeof Session>): Html {
  const { device, ipAddress, clientIp, authMethod, isCurrent } = session
  const way = authMethod === 'email' ? 'with e-mail' : 'through a provider'
  // Clients can send any X-Forwarded-For header, so its address is labelled as reported by the device.
  const claim = ipAddress !== 'unknown' && ipAddress !== clientIp ? `the device itself reported ${ipAddress}` : ''
  const addresses = [clientIp ?? '', clientIp && claim ? `(${claim})` : claim].filter(Boolean).join(' ')
  return html`<strong>${programOf(session)}</strong>${isCurrent && html` <span class="badge accent">This device</span>`}
<p>${device}, signed in ${way}</p>
${addresses && html`<p>Address ${addresses}</p>`}`
}

/** The browser with the first number of its version, and the system. */
function programOf({ browser, os }: { browser: string; os: string }): string {
  const [name] = browser.split('.')
  if (os === 'Unknown') return browser === 'Unknown' ? 'Unknown program' : `${name}`
  return `${name} on ${os}`
}

function timeOf(iso: string): Html {
  return moment(new Date(iso))
}
