import type { Codes } from '../../accounts/codes.ts'
import type { CodesTable } from '../../database/tables.ts'
import { type Html, html } from '../html.ts'
import type { FormView } from './form-view.ts'

/** The token of a mailed link and the e-mail address, from the query of the page. */
export interface MailedLink {
  email: string
  /** Empty if the page was opened without a link or with an invalid one. */
  token: string
  isInvalid: boolean
}

/** Looks up the token of a mailed link without using it up, since mail scanners open links too. */
export async function readMailedLink(
  codes: Codes,
  purpose: CodesTable['purpose'],
  query: URLSearchParams,
): Promise<MailedLink> {
  const token = query.get('token')
  const recipient = token === null ? undefined : await codes.findRecipient(purpose, token)
  if (token === null || recipient === undefined) {
    return { email: query.get('email') ?? '', token: '', isInvalid: token !== null }
  }
  return { email: recipient, token, isInvalid: false }
}

/** The fields for e-mail address and code. With a link, the address is read-only and the token is a hidden field. */
export function codeFields(form: FormView, field: string, { email, token }: MailedLink): Html {
  const address = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username', value: email } as const
  if (token) {
    return html`${form.input({ ...address, attributes: html` readonly` })}
<input type="hidden" name="${field}" value="${token}">`
  }
  return html`${form.input(address)}
${form.code({ name: field, label: 'Code', hint: 'Six digits. The code works for ten minutes and five tries.' })}`
}
