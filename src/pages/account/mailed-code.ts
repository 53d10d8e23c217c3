import type { Codes } from '../../accounts/codes.ts'
import type { CodesTable } from '../../database/tables.ts'
import { type Html, html } from '../html.ts'
import type { FormView } from './entry.ts'

/** What the address of a page brings with it: the token of a mailed link, and the e-mail address. */
export interface Arrival {
  email: string
  /** Empty without a link, and with one that does not work. */
  token: string
  isDeadLink: boolean
}

/** Looks a mailed link up and changes nothing: mail scanners open links too. */
export async function arrivalOf(
  codes: Codes,
  purpose: CodesTable['purpose'],
  query: URLSearchParams,
): Promise<Arrival> {
  const token = query.get('token')
  const recipient = token === null ? undefined : await codes.findRecipient(purpose, token)
  if (token === null || recipient === undefined) {
    return { email: query.get('email') ?? '', token: '', isDeadLink: token !== null }
  }
  return { email: recipient, token, isDeadLink: false }
}

/** The e-mail address and the code. With a link both are known: the address is shown, and the token goes along hidden. */
export function codeFields(form: FormView, field: string, { email, token }: Arrival): Html {
  const address = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email } as const
  if (token) {
    return html`${form.input({ ...address, attributes: html` readonly` })}
<input type="hidden" name="${field}" value="${token}">`
  }
  return html`${form.input(address)}
${form.code({ name: field, label: 'Code', hint: 'Six digits. It works for ten minutes.' })}`
}
