// The values that mails are composed from.

export const CODE_LIFETIME_NOTICE =
  'The code works once, within the next 10 minutes. The link works once, within the next hour.'

/** The client that an action came from. No field contains free text of a request. */
export interface ActionClient {
  /** Browser and operating system, from a fixed list of names. */
  program: string
  /** The IP address of the request. */
  clientIp: string
}

export interface Recipient {
  first_name: string
  email_verified_at: number | null
}

/** A mailed code: six digits to type, and a token in a link. Either can be used once, and invalidates the other. */
export interface MailedCode {
  digits: string
  token: string
}
