import type { SecurityEvents } from '../../../accounts/list-security-events.ts'
import type { Static } from '../../../http/schema.ts'
import { html } from '../../html.ts'
import type { SecurityPart } from './part.ts'
import { programOf, timeOf } from './shown-values.ts'

const EVENTS_SHOWN = 10

export function activityPart(): SecurityPart {
  return {
    calls: ['GET /api/security-events'],
    async main({ perform }) {
      const { events } = await perform<Static<typeof SecurityEvents>>('GET /api/security-events', {
        limit: EVENTS_SHOWN,
      })
      return html`<div class="card">
<p class="lead">If something here was not you, change your password and sign out the devices that you do not know.</p>
<ul class="events">${events.map(
        (event) => html`<li><strong>${event.description}</strong> ${timeOf(event.createdAt)}
<span>${programOf(event)}${event.ipAddress && `, at ${event.ipAddress}`}</span></li>`,
      )}</ul>
</div>`
    },
  }
}
