import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { counter } from '../http/rate-limit.ts'
import { lockProvenCaller, reauthenticationRequired, requireRecentProof } from '../proofs/recent-proof.ts'
import type { AccountParts } from './parts.ts'
import { readUserData } from './read-user-data.ts'
import { UserData } from './user-data-fields.ts'

export function userData(parts: AccountParts) {
  const { database, limits, outbox, messages, clientInfoOf } = parts
  return operation({
    id: 'downloadUserData',
    summary: 'Download everything that the account has',
    message: 'User data retrieved successfully',
    description:
      'Passwords, codes, keys and tokens are left out: none of them is stored in a form that the account holder ' +
      'could use. The account holder gets a mail about each download.',
    data: UserData,
    // Records an event and sends a mail.
    isSafe: false,
    refusals: [reauthenticationRequired],
    limits: ['download'],
    async handle({ caller, request }) {
      const { userId, sessionId } = caller
      await requireRecentProof(database.query, parts, caller)
      await limits.take(request, counter('download', userId))
      const clientInfo = clientInfoOf(request)
      const user = await database.transaction(async (tx) => {
        const user = await lockProvenCaller(tx, parts, caller)
        await recordEvent(tx, database.now, { type: 'data.downloaded', userId, sessionId, clientInfo })
        await outbox.enqueue(tx, user.email, messages.dataDownloaded(user.first_name, clientInfo))
        return user
      })
      // After the transaction, which would otherwise keep other writers of SQLite waiting.
      return { data: await readUserData(database.query, user) }
    },
  })
}
