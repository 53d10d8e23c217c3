import { type Html, html } from '../html.ts'
import type { FormView } from './form-view.ts'

interface Choices<Option extends string> {
  name: string
  legend: string
  /** Each with its label, and with a text that explains it. */
  options: Record<Option, { label: Html | string; hint?: string }>
  /** The initial value. */
  chosen: readonly Option[]
}

/** One of several options, as radio buttons. */
export function oneChoice<Option extends string>(form: FormView, choices: Choices<Option>): Html {
  const value = form.value(choices.name, choices.chosen[0] ?? '')
  return group(form, choices, (option) => ({
    type: 'radio',
    name: choices.name,
    value: option,
    isChosen: option === value,
  }))
}

/** Any of several options, as check boxes. `chosenFrom` reads them: the last of two fields with the same name wins. */
export function someChoices<Option extends string>(form: FormView, choices: Choices<Option>): Html {
  const isChosen = (option: Option) =>
    form.isRefused ? form.value(`${choices.name}.${option}`, '') !== '' : choices.chosen.includes(option)
  return group(form, choices, (option) => ({
    type: 'checkbox',
    name: `${choices.name}.${option}`,
    value: 'on',
    isChosen: isChosen(option),
  }))
}

/** The chosen options of a submitted group of check boxes. */
export function chosenFrom(fields: Record<string, string>, name: string): string[] {
  return Object.keys(fields).flatMap((field) => (field.startsWith(`${name}.`) ? [field.slice(name.length + 1)] : []))
}

function group<Option extends string>(
  form: FormView,
  { name, legend, options }: Choices<Option>,
  controlOf: (option: Option) => { type: string; name: string; value: string; isChosen: boolean },
): Html {
  const error = form.error(name)
  return html`<fieldset class="choices"${error && html` aria-describedby="${form.id(name)}-error"`}>
<legend>${legend}</legend>
${(Object.keys(options) as Option[]).map((option) => {
  const { label, hint } = options[option]
  const { type, name: field, value, isChosen } = controlOf(option)
  return html`<label><input type="${type}" name="${field}" value="${value}"${isChosen && html` checked`}> <span>${label}${hint && html`<small>${hint}</small>`}</span></label>
`
})}${error}
</fieldset>`
}
