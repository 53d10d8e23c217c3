import { invalid } from '../../http/refusal.ts'
import { type Html, html } from '../html.ts'

/** The module of `pages/web` that the forms need. */
export const PASSKEY_SCRIPT = 'passkey-forms'

/** The path from which the script gets the options for the passkey form of a page. */
export function passkeyOptionsPath(page: string): string {
  return `${page}/passkey-options`
}

interface PasskeyForm {
  /** The path of the page. */
  page: string
  /** The name of the page's form that takes the field `passkey`. */
  form: string
  button: string
  /** Whether a passkey is created or used. */
  action: 'create' | 'get'
  look?: string
  /** Further fields of the form. */
  fields?: Html
  /** Whether the browser offers the passkeys in the autofill of a field with `autocomplete="username webauthn"`. */
  isConditional?: boolean
  /** The page to open if the options need a recent proof of identity. */
  confirm?: string
}

/**
 * A form with one button that creates or uses a passkey. It is invisible until its script finds that the browser
 * supports passkeys, and takes its space before, so that nothing moves. The page of the form has PASSKEY_SCRIPT, and a
 * script call for the options.
 */
export function passkeyForm(parts: PasskeyForm): Html {
  const { page, form, button, action, look = '', fields, isConditional, confirm } = parts
  return html`<form method="post" data-passkey="${action}" data-options="${passkeyOptionsPath(page)}"${isConditional && html` data-conditional`}${confirm && html` data-confirm="${confirm}"`}>
<input type="hidden" name="form" value="${form}">
<input type="hidden" name="passkey" value="">
${fields}
<button${look && html` class="${look}"`}>${button}</button>
</form>`
}

/** The credential in the field `passkey`, which the schema of the operation checks. */
export function passkeyIn({ passkey = '' }: Record<string, string>): unknown {
  try {
    return JSON.parse(passkey)
  } catch {
    throw invalid('passkey', 'invalid_format', 'The passkey is malformed')
  }
}
