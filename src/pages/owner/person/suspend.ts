import { DAY_MS, isoTime } from '../../../lib/dates.ts'
import type { FormView } from '../../account/form-view.ts'
import { type Html, html } from '../../html.ts'
import type { DeskParts } from '../parts.ts'
import { personLink } from '../shown-values.ts'
import { type PersonAction, personIdIn } from './action.ts'

const CALL = 'POST /api/owner/person/suspend'
/** How long a suspension may last, in days, and in words. */
const PERIODS = { '1': '1 day', '7': '7 days', '30': '30 days', '90': '90 days', '365': '1 year' }
const MAX_REASON_CHARACTERS = 200

export function suspendAction({ clock }: DeskParts): PersonAction {
  return {
    call: CALL,
    view({ person, isSuspended, isSelf }, formState) {
      if (isSelf || !person.isVerified) return undefined
      const form = formState.of('suspend')
      return html`<details${form.isRefused && html` open`}>
<summary>${isSuspended ? 'Change the suspension' : 'Suspend'}</summary>
<p>All devices are signed out at once, and nobody can sign in until the date. The person keeps all data.</p>
${form.form(fields(form), 'Suspend', { look: 'quiet' })}
</details>`
    },
    forms: {
      async suspend(visit, { fields: { period = '', until = '', reason = '' } }) {
        const userId = personIdIn(visit)
        await visit.perform(CALL, { userId, until: endOf(period, until), reason })
        return { to: personLink({ userId }), notice: 'person-suspended' }
      },
    },
  }

  /** The end of a suspension: the beginning of the chosen day in UTC, or the end of the period. */
  function endOf(period: string, day: string): string {
    if (day) return `${day}T00:00:00.000Z`
    return Object.hasOwn(PERIODS, period) ? isoTime(clock.now() + Number(period) * DAY_MS) : ''
  }
}

function fields(form: FormView): Html {
  return html`<div class="pair">
${form.select({ name: 'period', label: 'For', value: '7', options: PERIODS })}
${form.input({ name: 'until', label: 'Or until', type: 'date', isOptional: true })}
</div>
<p class="hint">With a date, the suspension ends on that day at 00:00 UTC.</p>
${form.input({
  name: 'reason',
  label: 'Reason',
  hint: 'The person reads it when they log in.',
  autocomplete: 'off',
  attributes: html` maxlength="${MAX_REASON_CHARACTERS}"`,
})}`
}
