import { escapeHtml } from '../lib/escape-html.ts'

/** Text that is HTML already. Everything else is escaped where it is put in. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | false | null | undefined | Value[]

export function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(strings.reduce((text, string, index) => text + put(values[index - 1]) + string))
}

function put(value: Value): string {
  if (Array.isArray(value)) return value.map(put).join('')
  if (value instanceof Html) return value.text
  return value === null || value === undefined || value === false ? '' : escapeHtml(String(value))
}
