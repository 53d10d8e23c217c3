import type { FormView } from '../account/form-view.ts'
import { type Html, html } from '../html.ts'

interface Question {
  /** Unique within the page. */
  id: string
  /** The label of the button that opens the question. */
  button: string
  /** The thing that the button is about, for screen readers. */
  of: string
  title: Html
  /** The consequences, in a sentence. */
  effect: string
  /** The label of the button that confirms. */
  confirm: string
  form: FormView
  /** The hidden fields of the form. */
  content: Html
}

/** A button for a destructive action, with a confirmation dialog. The browser opens the dialog without a script. */
export function question({ id, button, of, title, effect, confirm, form, content }: Question): Html {
  return html`<button type="button" class="plain" popovertarget="${id}" aria-label="${button} ${of}">${button}</button>
<div class="dialog" id="${id}" popover role="dialog" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
<p>${effect}</p>
<div class="actions">${form.form(content, confirm, { look: 'danger' })}
<button type="button" class="quiet" popovertarget="${id}" popovertargetaction="hide">Cancel</button></div>
</div>`
}
