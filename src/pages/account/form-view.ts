import type { PasswordRule } from '../../accounts/password-policy.ts'
import { labelOf } from '../../http/field-errors.ts'
import type { Refusal, RefusalKind } from '../../http/refusal.ts'
import { type Html, html } from '../html.ts'
import { icon } from '../icons.ts'
import { REFUSED_FIELDS } from './refused-fields.ts'

interface FieldOptions {
  name: string
  label: string
  type?: 'text' | 'email' | 'date' | 'url'
  /** The initial value. */
  value?: string
  autocomplete?: string
  hint?: string
  isOptional?: boolean
  /** Gets the focus, unless the submission had errors of its fields. */
  isFocused?: boolean
  /** Additional attributes, such as `data-` attributes for a script. */
  attributes?: Html
}

/** Renders one form with the submitted values and the errors of its fields. */
export class FormView {
  readonly #name: string
  readonly #fields: Record<string, string>
  readonly #refusal: Refusal | undefined
  /** The item that the form is for, if the page has the form more than once. */
  readonly #item: string
  readonly #errors: Map<string, string>
  readonly #refusedFields: readonly string[]
  /** The first field with an error gets the focus. */
  readonly #firstInvalid: string | undefined

  constructor(name: string, fields: Record<string, string>, refusal: Refusal | undefined, item = '') {
    const errors = refusal?.errors ?? []
    this.#name = name
    this.#fields = fields
    this.#refusal = refusal
    this.#item = item
    this.#errors = new Map(errors.map(({ field, message }) => [field, message]))
    this.#firstInvalid = errors[0]?.field
    this.#refusedFields = REFUSED_FIELDS[refusal?.kind.code ?? ''] ?? []
  }

  /** `of` names what the button is for, if the page has the same button for several things. */
  form(content: Html, button: string, { look = '', hasFile = false, of = '' } = {}): Html {
    return html`<form method="post"${hasFile && html` enctype="multipart/form-data"`}>
<input type="hidden" name="form" value="${this.#name}">
${content}
<button${look && html` class="${look}"`}${of && html` aria-label="${button} ${of}"`}>${button}</button>
</form>`
  }

  input({ type = 'text', value = '', ...field }: FieldOptions): Html {
    return this.#field(
      field,
      html`<input type="${type}" value="${this.value(field.name, value)}"${type === 'text' && html` dir="auto"`} ${this.#attributes(field)}>`,
    )
  }

  /** The submitted password is never rendered. */
  password(field: FieldOptions): Html {
    return this.#field(field, html`<input type="password" ${this.#attributes(field)}>`)
  }

  /** A password to choose, with the rules that it must meet. The script `password-rules` marks those that it meets. */
  newPassword({ rules, ...field }: FieldOptions & { rules: PasswordRule[] }): Html {
    const described = { ...field, describedBy: `${this.id(field.name)}-rules` }
    return this.#field(
      field,
      html`<input type="password" ${this.#attributes(described)}>`,
      html`<ul class="rules" id="${described.describedBy}">${rules.map(({ text, check }) => html`<li data-check="${check}">${text}</li>`)}</ul>`,
    )
  }

  /** A field for a mailed code, with a numeric keyboard. */
  code({ value = '', ...field }: FieldOptions): Html {
    return this.#field(
      field,
      html`<input class="code" inputmode="numeric" autocomplete="one-time-code" maxlength="64" value="${this.value(field.name, value)}" ${this.#attributes(field)}>`,
    )
  }

  area({ value = '', ...field }: FieldOptions): Html {
    return this.#field(
      field,
      html`<textarea rows="4" dir="auto" ${this.#attributes(field)}>
${this.value(field.name, value)}</textarea>`,
    )
  }

  file(field: FieldOptions & { accept: string }): Html {
    return this.#field(field, html`<input type="file" accept="${field.accept}" ${this.#attributes(field)}>`)
  }

  select({ value = '', ...field }: FieldOptions & { options: Record<string, string> }): Html {
    const chosen = this.value(field.name, value)
    const options = Object.entries(field.options).map(
      ([word, label]) => html`<option value="${word}"${word === chosen && html` selected`}>${label}</option>`,
    )
    return this.#field(field, html`<select ${this.#attributes({ ...field, isOptional: true })}>${options}</select>`)
  }

  checkbox(field: FieldOptions): Html {
    const { name, label } = field
    return html`<div class="field check">
<label><input type="checkbox"${this.value(name, '') && html` checked`} ${this.#attributes(field)}> ${label}</label>
${this.error(name)}
</div>`
  }

  /** Whether the submission was refused with this status. */
  isRefusedWith(status: number): boolean {
    return this.#refusal?.status === status
  }

  isRefusedBy(kind: RefusalKind): boolean {
    return this.#refusal?.kind === kind
  }

  get isRefused(): boolean {
    return this.#refusal !== undefined
  }

  /** Whether a field whose name begins like this has an error. */
  hasErrorIn(prefix: string): boolean {
    return [...this.#errors.keys()].some((name) => name.startsWith(prefix))
  }

  value(name: string, fallback: string): string {
    return this.#fields[name] ?? fallback
  }

  /** The error is below the control, so that the controls of a row stay aligned. */
  #field({ name, label, hint }: FieldOptions, control: Html, rules?: Html): Html {
    return html`<div class="field">
<label for="${this.id(name)}">${label}</label>
${hint && html`<p class="hint" id="${this.id(name)}-hint">${hint}</p>`}
${control}
${this.error(name, label)}
${rules}
</div>`
  }

  /** The error of a field, for a control that describes itself by `id(name)-error`. */
  error(name: string, label = ''): Html | undefined {
    const error = this.#errorOf(name)
    return error === undefined
      ? undefined
      : html`<p class="error">${icon('problem')}<span id="${this.id(name)}-error">${withLabel(error, name, label)}</span></p>`
  }

  #attributes({
    name,
    autocomplete,
    hint,
    isOptional,
    isFocused,
    attributes,
    describedBy,
  }: FieldOptions & { describedBy?: string }): Html {
    const error = this.#errorOf(name)
    const isRefused = this.#refusedFields.includes(name)
    const hasFocus = this.#firstInvalid === undefined ? isFocused || isRefused : name === this.#firstInvalid
    const described = [hint && `${this.id(name)}-hint`, describedBy, error && `${this.id(name)}-error`]
      .filter(Boolean)
      .join(' ')
    return html`id="${this.id(name)}" name="${name}"${autocomplete && html` autocomplete="${autocomplete}"`}${!isOptional && html` required`}${(error || isRefused) && html` aria-invalid="true"`}${described && html` aria-describedby="${described}"`}${hasFocus && html` autofocus`}${attributes}`
  }

  /** Its own error, or that of the first faulty item of a list. */
  #errorOf(name: string): string | undefined {
    return this.#errors.get(name) ?? [...this.#errors].find(([field]) => field.startsWith(`${name}.`))?.[1]
  }

  id(name: string): string {
    return `${this.#name}${this.#item && `-${this.#item}`}-${name.replaceAll('.', '-')}`
  }
}

// Labels that are nouns, and differ from the names of their fields in the API.
const NOUN_LABELS = ['E-mail', 'Code', 'New password', 'Mail domains']

/** The message with the label of the field on the page instead of its name in the API. */
function withLabel(message: string, name: string, label: string): string {
  const apiLabel = labelOf(name.split('.'))
  return NOUN_LABELS.includes(label) && message.startsWith(`${apiLabel} `)
    ? label + message.slice(apiLabel.length)
    : message
}
