import type { Entry } from '../../account/entry.ts'
import { type Html, html } from '../../html.ts'
import type { DeskParts } from '../parts.ts'
import type { ActionContext, PersonAction } from './action.ts'
import { deletePersonAction } from './delete.ts'
import { roleAction } from './role.ts'
import { suspendAction } from './suspend.ts'

/** The actions in the order of the page: first what helps, last what destroys. */
export const personActions = (parts: DeskParts): PersonAction[] => [
  suspendAction(parts),
  roleAction(),
  deletePersonAction(),
]

export function actionsCard(actions: PersonAction[], context: ActionContext, entry: Entry): Html {
  const shown = actions.map(({ view }) => view(context, entry)).filter((view) => view !== undefined)
  return html`<section class="card person-actions" aria-labelledby="actions">
<h2 id="actions">Actions</h2>
${context.isSelf && html`<p>This is your own account. You delete it in <a href="/account/data">your account</a>.</p>`}
${!context.person.isVerified && html`<p>Nobody has verified this address, so anybody may have registered it. The account cannot be suspended or get a role.</p>`}
${shown}
</section>`
}
