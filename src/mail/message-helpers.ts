import type { Action, Block, Content } from './content.ts'
import type { Message } from './message.ts'
import type { ActionClient } from './message-values.ts'

/** The functions and links that mails are written with. */
export interface MessageHelpers {
  fullName(): string
  address: string
  write(content: Omit<Content, 'site'>): Message
  /** A mail to the account holder about a security change, with its time and the client that made it. */
  notice(firstName: string, subject: string, opening: string, place: ActionClient, ...others: Block[]): Message
  tokenLink(label: string, path: string, token: string): Action
  resetPassword: Action
  checkSecurity: Action
}
