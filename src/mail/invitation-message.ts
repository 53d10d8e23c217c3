import { longMoment } from '../lib/dates.ts'
import type { MessageHelpers } from './message-helpers.ts'

export const INVITATION_SUBJECT = 'You are invited'

export function createInvitationMessage({ fullName, address, write }: MessageHelpers) {
  return {
    /** To an address that may be a stranger's. The page behind the link changes nothing on GET. */
    invitation: (token: string, expiresAt: Date) =>
      write({
        subject: INVITATION_SUBJECT,
        preview: 'The link in this mail lets you create an account with this address.',
        firstName: undefined,
        blocks: [
          `The owner of ${fullName()} invites you to create an account there. Use the link below, and sign up with this e-mail address:`,
          { label: 'Create your account', link: `${address}/sign-up?invitation=${token}`, isMain: true },
          `The invitation works once, until ${longMoment(expiresAt)}, and for this address only.`,
          'If you do not know what this is about, ignore this mail: nothing happens.',
        ],
        reason: `You get this mail because the owner of ${fullName()} has invited your address.`,
      }),
  }
}
