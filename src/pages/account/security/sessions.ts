import type { Static } from '../../../http/schema.ts'
import type { Session, Sessions } from '../../../sessions/list.ts'
import { type Html, html } from '../../html.ts'
import { SECURITY_PATH, type SecurityPart } from './part.ts'
import { programOf, timeOf } from './shown-values.ts'

export function sessionsPart(): SecurityPart {
  return {
    calls: ['GET /api/sessions', 'DELETE /api/sessions', 'DELETE /api/sessions/others'],
    scripts: ['relative-times'],
    async main({ perform }, formState) {
      const { sessions } = await perform<Static<typeof Sessions>>('GET /api/sessions')
      const active = sessions.filter(({ revokedAt }) => revokedAt === null)
      const ended = sessions.filter(({ revokedAt }) => revokedAt !== null)
      const [one, others] = [formState.of('revoke'), formState.of('revoke-others')]
      return html`<div class="card">
<p class="lead">Sign out the devices that you do not know. Their names are what they report about themselves.</p>
<ul class="cards">${active.map(
        (session) => html`<li>
<div>${sessionFacts(session, html`last active ${timeOf(session.lastActiveAt)}`)}</div>
${!session.isCurrent && one.form(html`<input type="hidden" name="sessionId" value="${session.sessionId}">`, 'Sign out', { look: 'quiet', of: programOf(session) })}
</li>`,
      )}</ul>
${active.length > 1 && others.form(html``, 'Sign out all other devices', { look: 'quiet' })}
${
  ended.length > 0 &&
  html`<details>
<summary>${ended.length} ${ended.length === 1 ? 'session' : 'sessions'} ended in the last 30 days</summary>
<ul class="cards">${ended.map(
    (session) => html`<li><div>${sessionFacts(session, html`ended ${timeOf(session.revokedAt ?? '')}`)}</div></li>`,
  )}</ul>
</details>`
}
</div>`
    },
    forms: {
      async revoke({ perform }, { fields }) {
        await perform('DELETE /api/sessions', fields)
        return { to: SECURITY_PATH, notice: 'session-revoked' }
      },
      async 'revoke-others'({ perform }) {
        await perform('DELETE /api/sessions/others')
        return { to: SECURITY_PATH, notice: 'sessions-revoked' }
      },
    },
  }
}

const METHOD_WORDS: Record<Static<typeof Session>['methods'][number], string> = {
  pwd: 'password',
  otp: 'one-time code',
  hwk: 'passkey',
  swk: 'passkey',
  fed: 'provider',
  mail: 'mailed code',
}

function sessionFacts(session: Static<typeof Session>, lastSign: Html): Html {
  const { device, ipAddress, clientIp, isCurrent } = session
  // Clients can send any X-Forwarded-For header, so its address is labelled as reported by the device.
  const claim = ipAddress !== 'unknown' && ipAddress !== clientIp ? `the device itself reported ${ipAddress}` : ''
  const addresses = [clientIp ?? '', clientIp && claim ? `(${claim})` : claim].filter(Boolean).join(' ')
  return html`<strong>${programOf(session)}</strong>${isCurrent && html` <span class="badge accent">This device</span>`}
<p>${device}${addresses && ` at ${addresses}`}, ${lastSign}</p>
<p>Signed in ${timeOf(session.createdAt)} ${waysOf(session)}</p>`
}

function waysOf({ methods }: Static<typeof Session>): string {
  const words = new Set(methods.map((method) => METHOD_WORDS[method]))
  return words.size > 0 ? `with ${[...words].join(' and ')}` : ''
}
