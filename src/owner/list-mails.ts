import { SAMPLE_UUID } from '../http/fields.ts'
import { oneOf, Type } from '../http/schema.ts'
import { pageOfMails } from '../mail/outbox-admin.ts'
import { createReadOutboxState } from '../mail/outbox-state.ts'
import { cursorPages } from './cursor-pages.ts'
import { Mail, mailOf } from './mail.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'

const CURSOR = { pattern: '^[0-9]{1,15}[.][^\\x00]{1,100}$' }
const pages = cursorPages('listMails', CURSOR, `1794821400000.${SAMPLE_UUID}`)

export function listMails(parts: OwnerParts) {
  const readState = createReadOutboxState(parts.database)
  return ownerOperation(parts, {
    id: 'listMails',
    summary: 'List the mails that have failed, or those that wait for delivery',
    message: 'Mails retrieved successfully',
    description:
      'Failed mails have the latest failure first, and waiting mails the next attempt. The texts of the mails are not ' +
      'shown: codes and links in them are for the recipient only. A mail that was delivered is not kept.',
    query: Type.Object({
      state: oneOf(['failed', 'waiting'], {
        default: 'failed',
        'x-message': 'State must be failed or waiting',
      }),
      ...pages.query,
    }),
    data: Type.Object(
      {
        mails: Type.Array(Mail),
        failed: Type.Integer({ description: 'The number of all failed mails', examples: [1] }),
        waiting: Type.Integer({ description: 'The number of all waiting mails', examples: [0] }),
        next: pages.next,
      },
      { title: 'Mails' },
    ),
    links: pages.links,
    async run({ query: { state, limit, after } }) {
      const [time = '', ...id] = after?.split('.') ?? []
      const position = after === undefined ? undefined : ([Number(time), id.join('.')] as [number, string])
      const { mails, next } = await pageOfMails(parts.database, { state, after: position, limit })
      const { failed, waiting } = await readState()
      return { data: { mails: mails.map(mailOf), failed, waiting, next: next?.join('.') ?? null } }
    },
  })
}
