import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { isoTime } from '../dates.ts'
import { operation } from '../http/operation.ts'
import { Type } from '../http/schema.ts'

export const LinkedAccounts = Type.Object({
  linkedAccounts: Type.Array(
    Type.Object({
      provider: Type.String(),
      username: Type.String({ description: 'What you are called there' }),
      linkedAt: Type.String({ format: 'date-time' }),
    }),
  ),
})

export function listLinkedAccounts({ database }: { database: Database }) {
  const findLinked = database.prepare((query, userId: Arg<string>) =>
    query
      .selectFrom('linked_accounts')
      .select(['provider', 'username', 'linked_at'])
      .where('user_id', '=', userId)
      .orderBy('linked_at'),
  )
  return operation({
    summary: 'List the providers that sign in to the account',
    data: LinkedAccounts,
    async handle({ caller }) {
      const rows = await findLinked(caller.userId)
      const linkedAccounts = rows.map(({ provider, username, linked_at }) => ({
        provider,
        username,
        linkedAt: isoTime(linked_at),
      }))
      return { message: 'Linked accounts retrieved successfully', data: { linkedAccounts } }
    },
  })
}
