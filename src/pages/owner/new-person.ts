import type { createPerson } from '../../owner/create-person.ts'
import { html } from '../html.ts'
import { DESK_PATH } from '../layout.ts'
import type { DataOf, DeskPage } from './page.ts'
import { personLink } from './shown-values.ts'

export const NEW_PERSON_PATH = '/owner/people/new'
const CALL = 'POST /api/owner/people'
const PURPOSE =
  'The address counts as verified, and the account has no password. The person signs in with a mailed code or through a provider, or chooses a password with a mail that you send.'

export function newPersonPage(): DeskPage {
  return {
    path: NEW_PERSON_PATH,
    tab: DESK_PATH,
    description: 'Create an account for a person.',
    calls: [CALL],
    scripts: [],
    read: async () => ({
      title: 'Add a person',
      main(formState) {
        const form = formState.of('create')
        return html`<h1>Add a person</h1>
<div class="card narrow">
<p>${PURPOSE}</p>
${form.form(
  html`${form.input({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'off' })}
<div class="pair">
${form.input({ name: 'firstName', label: 'First name', autocomplete: 'off' })}
${form.input({ name: 'lastName', label: 'Last name', autocomplete: 'off', isOptional: true })}
</div>`,
  'Add the person',
)}
</div>`
      },
      markdown: () => PURPOSE,
    }),
    forms: {
      async create({ perform }, { fields }) {
        const { person } = await perform<DataOf<typeof createPerson>>(CALL, fields)
        return { to: personLink(person), notice: 'person-created' }
      },
    },
  }
}
