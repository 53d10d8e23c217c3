import { isIP } from 'node:net'
import { longMoment } from '../dates.ts'
import { type Content, compose, type Message } from './message.ts'

/** Where something was done from, as far as a mail tells it. */
interface Place {
  browser: string
  os: string
  ipAddress: string
}

interface Recipient {
  first_name: string
  email: string
}

/** Every mail that Portico sends. */
export function createMessages(baseUrl: string) {
  const site = new URL(baseUrl).host
  const write = (firstName: string, subject: string, paragraphs: string[], code?: Content['code']): Message =>
    compose({ site, firstName, subject, paragraphs, ...(code && { code }) })
  /** A page with the code filled in. Opening it does nothing: programs that look through mail open links too. */
  const pageWith = (path: string, email: string, code: string) =>
    `${baseUrl}${path}?${new URLSearchParams({ email, code })}`

  return {
    verificationCode: ({ first_name, email }: Recipient, code: string) =>
      write(
        first_name,
        'Verify your e-mail address',
        [
          `Welcome to ${site}. Enter this code to finish creating your account:`,
          'It works once, within the next 10 minutes.',
          'If you did not sign up, you can ignore this mail: without the code the account stays closed.',
        ],
        { digits: code, link: pageWith('/verify-email', email, code), label: 'Enter it for me' },
      ),
    resetCode: ({ first_name, email }: Recipient, code: string) =>
      write(
        first_name,
        'Reset your password',
        [
          `Somebody asked to reset the password of your account at ${site}. Enter this code to choose a new one:`,
          'It works once, within the next 10 minutes.',
          'If it was not you, ignore this mail: your password stays as it is. Give this code to nobody.',
        ],
        { digits: code, link: pageWith('/reset-password', email, code), label: 'Choose a new password' },
      ),
    passwordChanged: (firstName: string, place: Place) =>
      write(firstName, 'Your password was changed', [
        `The password of your account at ${site} was changed ${from(place)}. All other devices were signed out.`,
        'If it was not you, reset your password now: that signs out every device.',
      ]),
    passwordSet: (firstName: string, place: Place) =>
      write(firstName, 'A password was set for your account', [
        `Your account at ${site} was given a password ${from(place)}. It can now be used to log in with your e-mail address.`,
        'If it was not you, reset your password now: that signs out every device.',
      ]),
    passwordReset: (firstName: string, place: Place) =>
      write(firstName, 'Your password was reset', [
        `The password of your account at ${site} was reset with a code from this mailbox, ${from(place)}. Every device was signed out.`,
        'If it was not you, somebody else can read your mail: secure your mailbox first, then reset your password again.',
      ]),
    newDevice: (firstName: string, place: Place) =>
      write(firstName, 'New sign-in to your account', [
        `There was a sign-in to your account at ${site} ${from(place)}. It was never used from this browser and system before.`,
        'If it was you, there is nothing to do. If not, change your password: that signs out all other devices.',
      ]),
    signInLinked: (firstName: string, provider: string, place: Place) =>
      write(firstName, `You can now sign in with ${provider}`, [
        `Somebody who owns your e-mail address at ${provider} signed in to your account at ${site} ${from(place)}. From now on ${provider} is a way into it.`,
        'If it was not you, remove it from your account and change your password.',
      ]),
    signInUnlinked: (firstName: string, provider: string, place: Place) =>
      write(firstName, `Sign-in with ${provider} was removed`, [
        `${provider} is no longer a way into your account at ${site}. It was removed ${from(place)}.`,
        'If it was not you, reset your password now: that signs out every device.',
      ]),
    accountDeleted: (firstName: string) =>
      write(firstName, 'Your account was deleted', [
        `Your account at ${site} and everything that belonged to it have been deleted for good.`,
        'This is the last mail about it. You are welcome to sign up again at any time.',
      ]),
  }
}

export type Messages = ReturnType<typeof createMessages>

function from({ browser, os, ipAddress }: Place): string {
  const what = [browser, os].filter((word) => word !== 'Unknown').join(' on ')
  // The address is what the request says of itself: only what really is one goes into a mail.
  const [first = ''] = ipAddress.split(',')
  const address = isIP(first.trim()) ? ` (address ${first.trim()})` : ''
  return `on ${longMoment(new Date())} from ${what || 'an unknown program'}${address}`
}
