import { printable } from '../../../lib/printable.ts'
import type { FormState } from '../../account/form-state.ts'
import { programOf } from '../../account/security/shown-values.ts'
import { type Html, html } from '../../html.ts'
import type { DeskForms } from '../page.ts'
import { personLink } from '../shown-values.ts'
import { type ActionContext, personIdIn } from './action.ts'
import type { Session } from './history.ts'

export const END_SESSION = 'POST /api/owner/person/end-session'

/** The button of one session. An owner ends their own sessions in their account. */
export function endSessionForm({ isSelf }: ActionContext, session: Session, formState: FormState): Html | undefined {
  if (isSelf) return undefined
  const id = html`<input type="hidden" name="sessionId" value="${session.sessionId}">`
  return formState.of('end-session').form(id, 'Sign out', { look: 'plain', of: printable(programOf(session)) })
}

export const endSessionForms: DeskForms = {
  async 'end-session'(visit, { fields: { sessionId } }) {
    const userId = personIdIn(visit)
    await visit.perform(END_SESSION, { userId, sessionId })
    return { to: personLink({ userId }), notice: 'person-session-ended' }
  },
}
