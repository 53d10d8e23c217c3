import type { Action } from './content.ts'
import type { MessageHelpers } from './message-helpers.ts'
import { type ActionClient, CODE_LIFETIME_NOTICE, type MailedCode } from './message-values.ts'

/** The mails about a change of the e-mail address. */
export function createAddressMessages({ fullName, address, write, notice, tokenLink, checkSecurity }: MessageHelpers) {
  const choosePassword: Action = { label: 'Choose a new password', link: `${address}/forgot-password`, isMain: true }
  return {
    /** To the new address. It is not proven yet, so the mail has no name. */
    emailChangeCode: ({ digits, token }: MailedCode) =>
      write({
        subject: 'Confirm your new e-mail address',
        preview: 'The code in this mail works for 10 minutes, and the link for an hour.',
        firstName: undefined,
        blocks: [
          `Somebody asked to use this address for their account at ${fullName()}. If it was you, enter this code there, or use the link below in the browser where you are signed in:`,
          { digits },
          tokenLink('Use this address', '/account/email', token),
          CODE_LIFETIME_NOTICE,
          'If it was not you, ignore this mail: nothing is changed. Give the code and the link to nobody.',
        ],
        reason: `You get this mail because your address was entered at ${fullName()} as the new address of an account.`,
      }),
    /** To an address that an account has, or had until recently. `firstName` is undefined for the latter. */
    emailInUse: (firstName: string | undefined) =>
      write({
        subject: 'Your e-mail address was entered for another account',
        preview: 'Nothing was changed, and there is nothing to do if it was not you.',
        firstName,
        blocks: [
          `Somebody asked to use your address for another account at ${fullName()}. It belongs to an account already, or an account that had it can still be changed back to it. Nothing was changed.`,
          'If it was not you, there is nothing to do. If it was you, log in to the account that has this address, or try again in three days.',
        ],
        reason: `You get this mail because your address was entered at ${fullName()} as the new address of an account.`,
      }),
    /** To the former address. Its link undoes the change. */
    emailChanged: (firstName: string, place: ActionClient, undoToken: string) =>
      notice(
        firstName,
        'Your e-mail address was changed',
        `Your account at ${fullName()} has another e-mail address now. This address can no longer be used to log in.`,
        place,
        'If it was not you, undo the change within the next 72 hours. The link opens a page with a button, which sets this address again and signs out every device.',
        { ...tokenLink('Undo the change', '/undo-email-change', undoToken), isMain: false },
        'Give the link to nobody. If it was you, there is nothing to do.',
      ),
    /** To the new address. */
    emailConfirmed: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'This is your new e-mail address',
        `Your account at ${fullName()} has this e-mail address now. Use it the next time you log in.`,
        place,
        'Your former address was told, and can be used to undo the change for 72 hours.',
        'If it was not you, somebody has used a code or link from this mailbox. Change your password.',
        checkSecurity,
      ),
    /** To the address that the account has again. */
    emailChangeUndone: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'The change of your e-mail address was undone',
        `Your account at ${fullName()} has this e-mail address again. Every device was signed out, and the password and the ways to sign in that were added lately were removed.`,
        place,
        'If somebody else had changed the address, that person could sign in to your account. Choose a new password now, then look at the ways to sign in, and remove what is not yours.',
        choosePassword,
        checkSecurity,
      ),
    /**
     * To the address that the account no longer has. The address may be a stranger's, so the mail does not name the
     * account holder.
     */
    emailWithdrawn: () =>
      write({
        subject: 'This address no longer belongs to the account',
        preview: 'The account has its former address again.',
        firstName: undefined,
        blocks: [
          `The change of an account at ${fullName()} to this e-mail address was undone from the former address of the account. Every device was signed out.`,
          'If this is your account, and it was not you who undid the change, somebody else can read the mail of your former address.',
        ],
        reason: `You get this mail because an account at ${fullName()} had this address.`,
      }),
  }
}
