import { longMoment } from '../lib/dates.ts'
import { type Content, compose, type Message } from './message.ts'
import type { SiteName } from './site-name.ts'

const LIFETIMES = 'The code works once, within the next 10 minutes. The link works once, within the next hour.'

/** The client that an action came from. No field contains free text of a request. */
interface Place {
  /** Browser and operating system, from a fixed list of names. */
  program: string
  /** The IP address of the request. */
  clientIp: string
}

interface Recipient {
  first_name: string
  email_verified_at: number | null
}

/** A mailed code: six digits to type, and a token in a link. Either can be used once, and invalidates the other. */
export interface MailedCode {
  digits: string
  token: string
}

/** All mails that Portico sends. A mail to an unverified address contains no text from a request. */
export function createMessages(baseUrl: string, siteName: SiteName) {
  const write = (
    firstName: string | undefined,
    subject: string,
    paragraphs: string[],
    code?: Content['code'],
  ): Message => compose({ site: siteName.full(), firstName, subject, paragraphs, ...(code && { code }) })
  /** The page behind the link changes nothing on GET, since mail scanners open links too. */
  const linkTo = (path: string, token: string) => `${baseUrl}${path}?token=${token}`
  const stillSignsIn = (providers: string[]) =>
    `${providers.join(' and ')} can still be used to sign in to it. Remove what is not yours at ${baseUrl}/account/security`

  return {
    verificationCode: ({ digits, token }: MailedCode) =>
      write(
        undefined,
        'Verify your e-mail address',
        [
          `Welcome to ${siteName.full()}. Enter this code to finish creating your account, or use the link below:`,
          LIFETIMES,
          'If you did not sign up, ignore this mail and use neither the code nor the link: somebody else may have chosen the password of this account.',
        ],
        { digits, link: linkTo('/verify-email', token), label: 'Verify this address' },
      ),
    resetCode: ({ first_name, email_verified_at }: Recipient, { digits, token }: MailedCode) =>
      write(
        email_verified_at === null ? undefined : first_name,
        'Reset your password',
        [
          `Somebody asked to reset the password of your account at ${siteName.full()}. Enter this code to choose a new one, or use the link below:`,
          LIFETIMES,
          'If it was not you, ignore this mail: your password stays as it is. Give the code and the link to nobody.',
        ],
        { digits, link: linkTo('/reset-password', token), label: 'Choose a new password' },
      ),
    passwordChanged: (firstName: string, place: Place) =>
      write(firstName, 'Your password was changed', [
        `The password of your account at ${siteName.full()} was changed ${from(place)}. All other devices were signed out.`,
        'If it was not you, reset your password now: that signs out every device.',
      ]),
    passwordSet: (firstName: string, place: Place) =>
      write(firstName, 'A password was set for your account', [
        `Your account at ${siteName.full()} was given a password ${from(place)}. It can now be used to log in with your e-mail address. All other devices were signed out.`,
        'If it was not you, reset your password now: that signs out every device.',
      ]),
    passwordReset: (firstName: string, place: Place, providers: string[]) =>
      write(firstName, 'Your password was reset', [
        `The password of your account at ${siteName.full()} was reset with a code from this mailbox, ${from(place)}. Every device was signed out.`,
        ...(providers.length > 0 ? [stillSignsIn(providers)] : []),
        'If it was not you, somebody else can read your mail: secure your mailbox first, then reset your password again.',
      ]),
    newDevice: (firstName: string, place: Place) =>
      write(firstName, 'New sign-in to your account', [
        `There was a sign-in to your account at ${siteName.full()} ${from(place)}. This browser and system had not been used with your account before.`,
        'If it was you, there is nothing to do. If not, change your password: that signs out all other devices.',
      ]),
    signInLinked: (firstName: string, provider: string, place: Place) =>
      write(firstName, `You can now sign in with ${provider}`, [
        `Somebody who owns your e-mail address at ${provider} signed in to your account at ${siteName.full()} ${from(place)}. You can now sign in with ${provider}.`,
        `If it was not you, remove it at ${baseUrl}/account/security and change your password.`,
      ]),
    signInConnected: (firstName: string, provider: string, place: Place) =>
      write(firstName, `You can now sign in with ${provider}`, [
        `${provider} was connected with your account at ${siteName.full()} ${from(place)}. You can now sign in with it.`,
        `If it was not you, remove it at ${baseUrl}/account/security and change your password.`,
      ]),
    signInUnlinked: (firstName: string, provider: string, place: Place) =>
      write(firstName, `Sign-in with ${provider} was removed`, [
        `${provider} no longer signs in to your account at ${siteName.full()}. It was removed ${from(place)}.`,
        'If it was not you, reset your password now: that signs out every device.',
      ]),
    accountDeleted: (firstName: string) =>
      write(firstName, 'Your account was deleted', [
        `Your account at ${siteName.full()} and everything that belonged to it have been deleted for good.`,
        'This is the last mail about it. You are welcome to sign up again at any time.',
      ]),
  }
}

export type Messages = ReturnType<typeof createMessages>

function from({ program, clientIp }: Place): string {
  return `on ${longMoment(new Date())} from ${program} (address ${clientIp})`
}
