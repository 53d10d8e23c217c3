import type { Action, Block, Content } from './content.ts'
import type { Message } from './message.ts'
import type { Place } from './message-values.ts'

/** The functions and links that mails are written with. */
export interface MessageHelpers {
  fullName(): string
  address: string
  write(content: Omit<Content, 'site'>): Message
  /** A mail to the account holder about a change that somebody made at some place. */
  notice(firstName: string, subject: string, opening: string, place: Place, ...others: Block[]): Message
  tokenLink(label: string, path: string, token: string): Action
  resetPassword: Action
  checkSecurity: Action
}
