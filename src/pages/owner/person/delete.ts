import { printable } from '../../../lib/printable.ts'
import { html } from '../../html.ts'
import { DESK_PATH } from '../../layout.ts'
import { chosen, nameOf } from '../shown-values.ts'
import { type PersonAction, personIdIn } from './action.ts'

const CALL = 'DELETE /api/owner/person'

export function deletePersonAction(): PersonAction {
  return {
    call: CALL,
    view({ person, isSelf }, formState) {
      if (isSelf) return undefined
      const form = formState.of('delete')
      return html`<details class="destroys"${form.isRefused && html` open`}>
<summary>Delete</summary>
<p>The account of <strong>${chosen(nameOf(person))}</strong> is deleted with profile, picture, sessions and history. Nobody can bring it back.</p>
${form.form(
  form.input({
    name: 'email',
    label: `Type ${printable(person.email)} to confirm`,
    autocomplete: 'off',
    attributes: html` autocapitalize="none" spellcheck="false"`,
  }),
  'Delete this person',
  { look: 'danger' },
)}
</details>`
    },
    forms: {
      async delete(visit, { fields: { email = '' } }) {
        await visit.perform(CALL, { userId: personIdIn(visit), email })
        return { to: DESK_PATH, notice: 'person-deleted' }
      },
    },
  }
}
