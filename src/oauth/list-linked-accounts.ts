import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { PROVIDER_NAMES } from '../database/tables.ts'
import { Time } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { oneOf, Type } from '../http/schema.ts'
import { isoTime } from '../lib/dates.ts'

export const LinkedAccounts = Type.Object({
  linkedAccounts: Type.Array(
    Type.Object({
      provider: oneOf(PROVIDER_NAMES),
      username: Type.String({ description: 'What you are called there', examples: ['ada'] }),
      linkedAt: Time,
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
    message: 'Linked accounts retrieved successfully',
    data: LinkedAccounts,
    async handle({ caller }) {
      const rows = await findLinked(caller.userId)
      const linkedAccounts = rows.map(({ provider, username, linked_at }) => ({
        provider,
        username,
        linkedAt: isoTime(linked_at),
      }))
      return { data: { linkedAccounts } }
    },
  })
}
