import type { MessageHelpers } from './message-helpers.ts'

/** The mails to the owners of the site. */
export function createOwnerMessages({ fullName, write }: MessageHelpers) {
  return {
    test: (firstName: string) =>
      write({
        subject: 'A test mail',
        preview: 'The mails of your site arrive.',
        firstName,
        blocks: [`An owner of ${fullName()} has asked for this mail. It has arrived, so the site can send mail.`],
        reason: `You get this mail because you are an owner of ${fullName()}.`,
      }),
    webhookSwitchedOff: (firstName: string, { host, id, reason }: { host: string; id: string; reason: string }) =>
      write({
        subject: 'A webhook was switched off',
        preview: `${host} has not accepted an event for days.`,
        firstName,
        blocks: [
          `${fullName()} no longer sends events to a webhook at ${host}, because it has accepted none for days, or says that it is gone.`,
          `The last error was: ${reason}.`,
          'Events that waited for it are kept for 30 days and sent when you switch it on again. Events that happen meanwhile are not sent to it.',
          `This command switches it on: portico webhook change ${id} --on`,
        ],
        reason: `You get this mail because you are an owner of ${fullName()}.`,
      }),
  }
}
