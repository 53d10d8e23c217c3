import type { Notice } from '../../account/notices.ts'
import { html } from '../../html.ts'
import { personLink } from '../shown-values.ts'
import { type ActionContext, type PersonAction, personIdIn } from './action.ts'

interface ButtonAction {
  /** The name of the form. */
  form: string
  call: string
  /** The effect of the button, as a command. */
  title: string
  /** The consequences, in a sentence. */
  effect: string
  notice: Notice
  appliesTo(context: ActionContext): boolean
}

/** An action that needs nothing but the person. */
export function buttonAction({ form: name, call, title, effect, notice, appliesTo }: ButtonAction): PersonAction {
  return {
    call,
    view(context, formState) {
      if (!appliesTo(context)) return undefined
      const form = formState.of(name)
      return html`<details${form.isRefused && html` open`}>
<summary>${title}</summary>
<p>${effect}</p>
${form.form(html``, title, { look: 'quiet' })}
</details>`
    },
    forms: {
      async [name](visit) {
        const userId = personIdIn(visit)
        await visit.perform(call, { userId })
        return { to: personLink({ userId }), notice }
      },
    },
  }
}
