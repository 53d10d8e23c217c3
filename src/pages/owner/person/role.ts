import { printable } from '../../../lib/printable.ts'
import { html } from '../../html.ts'
import { nameOf, personLink } from '../shown-values.ts'
import { type PersonAction, personIdIn } from './action.ts'

const CALL = 'POST /api/owner/person/role'

export function roleAction(): PersonAction {
  return {
    call: CALL,
    view({ person, isSelf }, formState) {
      if (!person.isVerified) return undefined
      const form = formState.of('role')
      const isOwner = person.role === 'owner'
      const words = isOwner
        ? `${isSelf ? 'You lose' : 'The person loses'} access to the owner’s desk at once.`
        : 'An owner sees everybody, and can suspend, delete and change the role of everybody, also yours.'
      return html`<details${form.isRefused && html` open`}>
<summary>${isOwner ? 'Make a member' : 'Make an owner'}</summary>
<p>${words}</p>
${form.form(
  html`<input type="hidden" name="role" value="${isOwner ? 'member' : 'owner'}">`,
  `Make ${isSelf ? 'me' : printable(nameOf(person))} ${isOwner ? 'a member' : 'an owner'}`,
  { look: 'quiet' },
)}
</details>`
    },
    forms: {
      async role(visit, { fields: { role } }) {
        const userId = personIdIn(visit)
        await visit.perform(CALL, { userId, role })
        // An owner who has become a member has no access to the page any more.
        const isSelf = userId === visit.visitor.user.id
        return { to: isSelf ? '/account' : personLink({ userId }), notice: 'role-changed' }
      },
    },
  }
}
