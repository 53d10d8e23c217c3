import type { Refusal } from '../../http/refusal.ts'
import { notice } from '../components.ts'
import type { Html } from '../html.ts'
import { refusalWords } from '../refusal-words.ts'
import { FormView } from './form-view.ts'

/** A submitted form with its values and its refusal. Empty for a GET request. */
export class FormState {
  readonly #form: string
  readonly #fields: Record<string, string>
  readonly #refusal: Refusal | undefined

  constructor(form = '', fields: Record<string, string> = {}, refusal?: Refusal) {
    this.#form = form
    this.#fields = fields
    this.#refusal = refusal
  }

  /** The view of one form. It has values and errors only if that form was submitted. */
  of(form: string): FormView {
    return form === this.#form ? new FormView(form, this.#fields, this.#refusal) : new FormView(form, {}, undefined)
  }

  /**
   * The view of a form that the page has once for each item. It has values and errors only if it was sent for this one.
   */
  ofItem(form: string, id: string): FormView {
    const isOwn = form === this.#form && id === this.#fields.id
    return isOwn ? new FormView(form, this.#fields, this.#refusal, id) : new FormView(form, {}, undefined, id)
  }

  /** The error message for the top of the page. Independent of the form, which the page may no longer show. */
  problem(): Html | undefined {
    if (!this.#refusal) return undefined
    const words = this.#refusal.errors ? 'Please correct the fields that are marked below' : refusalWords(this.#refusal)
    return notice('problem', `${words}.`)
  }
}
