import type { MessageHelpers } from './message-helpers.ts'
import type { ActionClient } from './message-values.ts'

/** From this number on, the account holder is asked to make new recovery codes. */
export const FEW_RECOVERY_CODES = 3

/** The mails about passkeys and second factors. */
export function createFactorMessages({ resetPassword, checkSecurity, notice, write, fullName }: MessageHelpers) {
  return {
    passkeyAdded: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'A passkey was added to your account',
        `A passkey was added to your account at ${fullName()}. It can now be used to sign in.`,
        place,
        'If it was not you, remove it from your account and change your password.',
        checkSecurity,
      ),
    passkeyRemoved: (firstName: string, isTwoStepOff: boolean, place: ActionClient) =>
      notice(
        firstName,
        'A passkey was removed from your account',
        `A passkey was removed from your account at ${fullName()}. It no longer signs in. Other devices that signed in with a passkey were signed out.${isTwoStepOff ? ' Two-step sign-in was turned off, because no second factor is left.' : ''}`,
        place,
        'If it was not you, reset your password now: that signs out every device. Then remove the passkeys that you do not know.',
        resetPassword,
      ),
    authenticatorAppAdded: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'An authenticator app was added',
        `An authenticator app was added to your account at ${fullName()}. From now on, signing in needs a code of the app too. Keep the recovery codes in a safe place: without the app, each of them signs you in once.`,
        place,
        'If it was not you, remove the app now, on a device that is still signed in, and change your password.',
        checkSecurity,
      ),
    authenticatorAppRemoved: (firstName: string, isStillRequired: boolean, place: ActionClient) =>
      notice(
        firstName,
        'Your authenticator app was removed',
        `The authenticator app of your account at ${fullName()} was removed. ${
          isStillRequired
            ? 'Two-step sign-in is still on, with your passkeys.'
            : 'Two-step sign-in is off, and the recovery codes no longer work.'
        }`,
        place,
        'If it was not you, reset your password now: that signs out every device.',
        resetPassword,
      ),
    authenticatorAppBlocked: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'Your authenticator app was blocked',
        `Somebody who has passed the first step of signing in to your account at ${fullName()} has entered too many wrong codes. The authenticator app is not accepted until you have signed in with a recovery code or a passkey.`,
        place,
        'If it was not you, somebody else knows your password or can use another way in: reset your password now.',
        resetPassword,
      ),
    factorsReset: (firstName: string) =>
      write({
        subject: 'Your second factors were removed',
        preview: 'The owner of the site has removed them.',
        firstName,
        blocks: [
          `The owner of ${fullName()} has removed the authenticator app, the passkeys and the recovery codes of your account, and has signed out all devices. Signing in needs no second factor now.`,
          'Add them again after your next sign-in. If you did not ask for this, reset your password and write to the owner of the site.',
          checkSecurity,
        ],
        reason: `You get this mail because you have an account at ${fullName()}.`,
      }),
    secondFactorTurnedOn: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'Two-step sign-in is on',
        `Two-step sign-in was turned on for your account at ${fullName()}. From now on, signing in needs a second factor.`,
        place,
        'If it was not you, turn it off now, on a device that is still signed in, and change your password.',
        checkSecurity,
      ),
    secondFactorTurnedOff: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'Two-step sign-in is off',
        `Two-step sign-in was turned off for your account at ${fullName()}. Signing in no longer needs a second factor, and the recovery codes no longer work.`,
        place,
        'If it was not you, reset your password now: that signs out every device.',
        resetPassword,
      ),
    recoveryCodeUsed: (firstName: string, left: number, place: ActionClient) =>
      notice(
        firstName,
        'A recovery code was used',
        `Somebody signed in to your account at ${fullName()} with a recovery code. ${
          left === 1 ? '1 recovery code is' : `${left} recovery codes are`
        } left.`,
        place,
        ...(left <= FEW_RECOVERY_CODES ? ['Make new recovery codes soon, so that you do not run out of them.'] : []),
        'If it was not you, change your password and make new recovery codes: the old ones then stop working.',
        checkSecurity,
      ),
    recoveryCodesReplaced: (firstName: string, place: ActionClient) =>
      notice(
        firstName,
        'Your recovery codes were replaced',
        `New recovery codes were made for your account at ${fullName()}. The earlier ones no longer work.`,
        place,
        'If it was not you, change your password and make new recovery codes.',
        checkSecurity,
      ),
  }
}
