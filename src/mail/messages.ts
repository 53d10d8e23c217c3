import { longMoment } from '../lib/dates.ts'
import { createAddressMessages } from './address-messages.ts'
import type { Action, Block, Content } from './content.ts'
import { createFactorMessages } from './factor-messages.ts'
import { createInvitationMessage } from './invitation-message.ts'
import { compose, type Message } from './message.ts'
import { type ActionClient, CODE_LIFETIME_NOTICE, type MailedCode, type Recipient } from './message-values.ts'
import { createOwnerMessages } from './owner-messages.ts'
import type { SiteIdentity } from './site-identity.ts'

/** All mails that Portico sends. A mail to an unverified address contains no text from a request. */
export function createMessages(site: SiteIdentity) {
  const { address, fullName } = site
  const write = (content: Omit<Content, 'site'>): Message =>
    compose({ ...content, site: { title: site.title(), address, accent: site.accent() } })
  /** The page behind the link changes nothing on GET, since mail scanners open links too. */
  const tokenLink = (label: string, path: string, token: string): Action => ({
    label,
    link: `${address}${path}?token=${token}`,
    isMain: true,
  })
  const resetPassword: Action = { label: 'Reset your password', link: `${address}/forgot-password`, isMain: false }
  const checkSecurity: Action = { label: 'Check your account', link: `${address}/account/security`, isMain: false }

  /** A mail to the account holder about a security change, with its time and the client that made it. */
  function notice(
    firstName: string,
    subject: string,
    opening: string,
    place: ActionClient,
    ...others: Block[]
  ): Message {
    const moment = longMoment(new Date())
    const { program, clientIp } = place
    const facts: [string, string][] = [
      ['When', moment],
      ['Device', program],
      ['IP address', clientIp],
    ]
    return write({
      subject,
      preview: `${program}, ${moment}. If it was not you, this mail tells you what to do.`,
      firstName,
      blocks: [opening, { facts }, ...others],
      reason: `You get this mail because you have an account at ${fullName()}: every change to its security is mailed to you.`,
    })
  }

  const parts = { fullName, address, write, notice, tokenLink, resetPassword, checkSecurity }
  return {
    ...createAddressMessages(parts),
    ...createFactorMessages(parts),
    ...createInvitationMessage(parts),
    ...createOwnerMessages(parts),
    verificationCode: ({ digits, token }: MailedCode) =>
      write({
        subject: 'Verify your e-mail address',
        preview: 'The code in this mail works for 10 minutes, and the link for an hour.',
        firstName: undefined,
        blocks: [
          `Welcome to ${fullName()}. Enter this code to finish creating your account, or use the link below:`,
          { digits },
          tokenLink('Verify this address', '/verify-email', token),
          CODE_LIFETIME_NOTICE,
          'If you did not sign up, ignore this mail and use neither the code nor the link: somebody else may have chosen the password of this account.',
        ],
        reason: `You get this mail because your address was used to sign up at ${fullName()}.`,
      }),
    resetCode: ({ first_name, email_verified_at }: Recipient, { digits, token }: MailedCode) =>
      write({
        subject: 'Reset your password',
        preview: 'The code in this mail works for 10 minutes, and the link for an hour.',
        firstName: email_verified_at === null ? undefined : first_name,
        blocks: [
          `Somebody asked to reset the password of your account at ${fullName()}. Enter this code to choose a new one, or use the link below:`,
          { digits },
          tokenLink('Choose a new password', '/reset-password', token),
          CODE_LIFETIME_NOTICE,
          'If it was not you, ignore this mail: your password stays as it is. Give the code and the link to nobody.',
        ],
        reason: `You get this mail because your address was entered at ${fullName()} to reset a password.`,
      }),
    reauthenticationCode: (firstName: string, { digits, token }: MailedCode) =>
      write({
        subject: 'Confirm that it is you',
        preview: 'The code in this mail works for 10 minutes, and the link for an hour.',
        firstName,
        blocks: [
          `Somebody who is signed in to your account at ${fullName()} is about to change how it is protected. Enter this code to confirm that it is you, or use the link below:`,
          { digits },
          tokenLink('Confirm that it is you', '/account/confirm', token),
          CODE_LIFETIME_NOTICE,
          'If it was not you, give the code and the link to nobody, and sign out the devices that you do not know.',
          checkSecurity,
        ],
        reason: `You get this mail because somebody is signed in to your account at ${fullName()}.`,
      }),
    logInCode: (firstName: string, { digits, token }: MailedCode) =>
      write({
        subject: 'Your code to log in',
        preview: 'The code in this mail works for 10 minutes, and the link for an hour.',
        firstName,
        blocks: [
          `Somebody asked to log in to your account at ${fullName()} with a code. Enter this code to log in, or use the link below:`,
          { digits },
          tokenLink('Log in', '/log-in/code/verify', token),
          CODE_LIFETIME_NOTICE,
          'If it was not you, ignore this mail: nobody is logged in. Give the code and the link to nobody, and enter the code only on the page where you asked for it.',
        ],
        reason: `You get this mail because your address was entered at ${fullName()} to log in.`,
      }),
    dataDownloaded: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'Your data was downloaded',
        `A file with all data of your account at ${fullName()} was downloaded.`,
        place,
        'If it was not you, reset your password now: that signs out every device.',
        resetPassword,
      ),
    passwordChanged: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'Your password was changed',
        `The password of your account at ${fullName()} was changed. All other devices were signed out.`,
        place,
        'If it was not you, reset your password now: that signs out every device.',
        resetPassword,
      ),
    passwordSet: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'A password was set for your account',
        `Your account at ${fullName()} was given a password. It can now be used to log in with your e-mail address. All other devices were signed out.`,
        place,
        'If it was not you, reset your password now: that signs out every device.',
        resetPassword,
      ),
    passwordReset: (firstName: string, place: ActionClient, otherWays: string[]) =>
      notice(
        firstName,
        'Your password was reset',
        `The password of your account at ${fullName()} was reset with a code from this mailbox. Every device was signed out.`,
        place,
        ...(otherWays.length > 0
          ? [`${otherWays.join(' and ')} can still be used to sign in to it. Remove what is not yours.`, checkSecurity]
          : []),
        'If it was not you, somebody else can read your mail: secure your mailbox first, then reset your password again.',
        resetPassword,
      ),
    passwordRemoved: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'Your password was removed',
        `The password of your account at ${fullName()} was removed. You sign in with a passkey or a provider from now on.`,
        place,
        'If it was not you, reset your password now: that sets a new one and signs out every device.',
        resetPassword,
      ),
    newDevice: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'New sign-in to your account',
        `There was a sign-in to your account at ${fullName()}. This browser and system had not been used with your account before.`,
        place,
        'If it was you, there is nothing to do. If not, change your password: that signs out all other devices.',
        checkSecurity,
      ),
    signInLinked: (firstName: string, provider: string, place: ActionClient) =>
      notice(
        firstName,
        `You can now sign in with ${provider}`,
        `Somebody who owns your e-mail address at ${provider} signed in to your account at ${fullName()}. You can now sign in with ${provider}.`,
        place,
        `If it was not you, remove ${provider} from your account and change your password.`,
        checkSecurity,
      ),
    signInConnected: (firstName: string, provider: string, place: ActionClient) =>
      notice(
        firstName,
        `You can now sign in with ${provider}`,
        `${provider} was connected with your account at ${fullName()}. You can now sign in with it.`,
        place,
        `If it was not you, remove ${provider} from your account and change your password.`,
        checkSecurity,
      ),
    signInUnlinked: (firstName: string, provider: string, place: ActionClient) =>
      notice(
        firstName,
        `Sign-in with ${provider} was removed`,
        `${provider} no longer signs in to your account at ${fullName()}.`,
        place,
        'If it was not you, reset your password now: that signs out every device.',
        resetPassword,
      ),
    accountDeleted: (firstName: string) =>
      write({
        subject: 'Your account was deleted',
        preview: 'This is the last mail about it.',
        firstName,
        blocks: [
          `Your account at ${fullName()} and everything that belonged to it have been deleted for good.`,
          'This is the last mail about it. You are welcome to sign up again at any time.',
        ],
        reason: `You get this mail because you had an account at ${fullName()}.`,
      }),
  }
}

export type Messages = ReturnType<typeof createMessages>
