import type { Config } from '../../config/config.ts'
import { isFromThisMachine } from '../../http/forwarded.ts'
import type { Request } from '../../http/request.ts'
import { notice } from '../components.ts'
import { type Html, html } from '../html.ts'

/** In development, a link to the mailbox. Only for clients on this machine, as the mailbox sends 404 to others. */
export function mailboxHint({ mail }: Config, request: Request, email: string): Html | undefined {
  if (mail.smtpUrl || !isFromThisMachine(request)) return undefined
  const query = email ? `?${new URLSearchParams({ to: email })}` : ''
  return notice(
    'note',
    html`In development, mail is kept in the <a href="/dev/mailbox${query}">development mailbox</a> instead of being sent.`,
  )
}
