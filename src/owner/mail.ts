import { NO_NUL, SAMPLE_TIME, SAMPLE_UUID, StoredEmail, Time } from '../http/fields.ts'
import { constantNames } from '../http/openapi-components.ts'
import { nullable, oneOf, type Static, Type } from '../http/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import type { OutboxMail } from '../mail/outbox-admin.ts'

const MAX_MAILS = 100

const MailId = Type.String({ examples: [SAMPLE_UUID] })

/** The mails that an operation is about. */
export const MailIds = Type.Array(Type.String({ maxLength: 100, ...NO_NUL, examples: [SAMPLE_UUID] }), {
  minItems: 1,
  maxItems: MAX_MAILS,
  'x-message': `Mail ids must be from 1 to ${MAX_MAILS} ids of mails`,
})

const momentOrNull = (description: string) => nullable(Type.String({ ...Time, description, examples: [SAMPLE_TIME] }))

/** A mail without its text, which may have a code or a link that only the recipient may know. */
export const Mail = Type.Object(
  {
    mailId: MailId,
    recipient: StoredEmail,
    subject: Type.String({ examples: ['Verify your e-mail address'] }),
    state: oneOf(['failed', 'waiting'], { title: 'MailState', examples: ['failed'] }),
    attempts: Type.Integer({ examples: [3] }),
    createdAt: Time,
    dueAt: momentOrNull('The next attempt. Null for a mail that has failed permanently'),
    failedAt: momentOrNull('When it failed permanently. Null for a mail that waits'),
    expiresAt: momentOrNull('After this time it is not sent: the code in it is no longer valid'),
    lastError: nullable(Type.String({ examples: ['550 5.1.1 The mailbox does not exist'] })),
  },
  { title: 'Mail' },
)

export function mailOf({ id, recipient, subject, attempts, ...mail }: OutboxMail): Static<typeof Mail> {
  return {
    mailId: id,
    recipient,
    subject,
    state: mail.failedAt === null ? 'waiting' : 'failed',
    attempts,
    createdAt: isoTime(mail.createdAt),
    dueAt: isoTimeOrNull(mail.dueAt),
    failedAt: isoTimeOrNull(mail.failedAt),
    expiresAt: isoTimeOrNull(mail.expiresAt),
    lastError: mail.lastError,
  }
}

/** Why a mail was left as it was. */
const LEFT_REASONS = ['unknown', 'sending', 'expired'] as const

export const MailsChanged = Type.Object(
  {
    done: Type.Array(MailId),
    left: Type.Array(
      Type.Object(
        {
          id: MailId,
          reason: oneOf(LEFT_REASONS, {
            title: 'MailLeftReason',
            ...constantNames(LEFT_REASONS, 'Reason'),
            examples: ['expired'],
          }),
        },
        { title: 'MailLeft' },
      ),
      { description: 'The mails that were left as they were' },
    ),
  },
  { title: 'MailsChanged' },
)
