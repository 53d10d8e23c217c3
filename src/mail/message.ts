import type { Content } from './content.ts'
import { htmlPart } from './html-part.ts'
import { textPart } from './text-part.ts'

/** A mail without its recipient, as plain text and as HTML. */
export interface Message {
  subject: string
  text: string
  html: string
}

export function compose(content: Content): Message {
  return { subject: content.subject, text: textPart(content), html: htmlPart(content) }
}
