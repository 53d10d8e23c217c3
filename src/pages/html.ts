import { escapeHtml } from '../lib/escape-html.ts'

/** A text that is HTML. The tag `html` escapes all other values. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | false | null | undefined | Value[]

export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.reduce((text, string, index) => text + render(values[index - 1]) + string))
}

function render(value: Value): string {
  if (Array.isArray(value)) return value.map(render).join('')
  if (value instanceof Html) return value.text
  return value === null || value === undefined || value === false ? '' : escapeHtml(String(value))
}
