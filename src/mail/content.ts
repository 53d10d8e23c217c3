/** The content of a mail. `text-part.ts` and `html-part.ts` write the same content as plain text and as HTML. */
export interface Content {
  subject: string
  /** Mail programs list this text beside the subject, also on a locked screen. So it contains no code. */
  preview: string
  /** Undefined while the address is not verified: another person may have entered the name. */
  firstName: string | undefined
  blocks: Block[]
  /** Why the recipient gets the mail. */
  reason: string
  site: {
    title: string
    /** The public URL. */
    address: string
    /** The accent colour, as `#rrggbb`. */
    accent: string
  }
}

/** A paragraph, a one-time code, a link or a list of facts. */
export type Block = string | { digits: string } | Action | { facts: [label: string, value: string][] }

export interface Action {
  label: string
  link: string
  /** Whether the mail was sent for this action. Otherwise few recipients need it. */
  isMain: boolean
}

export function greetingOf({ firstName }: Content): string {
  return firstName === undefined ? 'Hello,' : `Hello ${firstName},`
}
