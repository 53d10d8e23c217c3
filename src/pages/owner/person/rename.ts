import { html } from '../../html.ts'
import { personLink } from '../shown-values.ts'
import { type PersonAction, personIdIn } from './action.ts'

const CALL = 'POST /api/owner/person/username'

export function renameAction(): PersonAction {
  return {
    call: CALL,
    view({ person }, formState) {
      const form = formState.of('rename')
      return html`<details${form.isRefused && html` open`}>
<summary>Change the username</summary>
${form.form(
  form.input({
    name: 'username',
    label: 'New username',
    value: person.username,
    hint: '3 to 30 letters, digits, dots, dashes or underscores.',
    autocomplete: 'off',
    attributes: html` autocapitalize="none" spellcheck="false"`,
  }),
  'Change the username',
  { look: 'quiet' },
)}
</details>`
    },
    forms: {
      async rename(visit, { fields: { username } }) {
        const userId = personIdIn(visit)
        await visit.perform(CALL, { userId, username })
        return { to: personLink({ userId }), notice: 'person-renamed' }
      },
    },
  }
}
