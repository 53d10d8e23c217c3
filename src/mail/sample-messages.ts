import type { Message } from './message.ts'
import type { ActionClient, MailedCode, Recipient } from './message-values.ts'
import type { Messages } from './messages.ts'

const CODE: MailedCode = { digits: '492817', token: '5f0c2b9e7a1d4836b0e4c9d27f61a853' }
const ADA: Recipient = { first_name: 'Ada', email_verified_at: Date.UTC(2026, 10, 16) }
const PLACE: ActionClient = { program: 'Firefox 140.0 on Linux', clientIp: '203.0.113.7' }

/** Sample arguments for every mail. The type makes a mail without a sample an error. */
const SAMPLES: { [Name in keyof Messages]: Parameters<Messages[Name]> } = {
  verificationCode: [CODE],
  invitation: [CODE.token, new Date(Date.UTC(2026, 10, 23, 9, 30))],
  resetCode: [ADA, CODE],
  reauthenticationCode: ['Ada', CODE],
  logInCode: ['Ada', CODE],
  emailChangeCode: [CODE],
  emailInUse: ['Ada'],
  emailChanged: ['Ada', PLACE, CODE.token],
  emailConfirmed: ['Ada', PLACE],
  emailChangeUndone: ['Ada', PLACE],
  emailWithdrawn: [],
  dataDownloaded: ['Ada', PLACE],
  newDevice: ['Ada', PLACE],
  passwordChanged: ['Ada', PLACE],
  passwordSet: ['Ada', PLACE],
  passwordReset: ['Ada', PLACE, ['GitHub', 'Google', '2 passkeys']],
  passwordRemoved: ['Ada', PLACE],
  passkeyAdded: ['Ada', PLACE],
  passkeyRemoved: ['Ada', true, PLACE],
  signInLinked: ['Ada', 'GitHub', PLACE],
  signInConnected: ['Ada', 'Google', PLACE],
  signInUnlinked: ['Ada', 'GitHub', PLACE],
  authenticatorAppAdded: ['Ada', PLACE],
  authenticatorAppRemoved: ['Ada', false, PLACE],
  authenticatorAppBlocked: ['Ada', PLACE],
  factorsReset: ['Ada'],
  secondFactorTurnedOn: ['Ada', PLACE],
  secondFactorTurnedOff: ['Ada', PLACE],
  recoveryCodeUsed: ['Ada', 2, PLACE],
  recoveryCodesReplaced: ['Ada', PLACE],
  accountDeleted: ['Ada'],
  test: ['Ada'],
  webhookSwitchedOff: [
    'Ada',
    {
      host: 'hooks.example.com',
      id: '0d2f8f63-51a7-4c1c-9d5e-7b0f3c1a2e44',
      reason: 'the response has the status 500',
    },
  ],
}

/** Every mail that Portico can send, with sample data: for /dev/mails and for tests. */
export function sampleMessages(messages: Messages): { name: string; message: Message }[] {
  return Object.entries(SAMPLES).map(([name, values]) => {
    const write = messages[name as keyof Messages] as (...values: unknown[]) => Message
    return { name, message: write(...values) }
  })
}
