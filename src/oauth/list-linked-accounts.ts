import type { Database } from '../database/database.ts'
import type { Arg } from '../database/prepared.ts'
import { Time } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { Type } from '../http/schema.ts'
import { isoTime } from '../lib/dates.ts'
import { ProviderField } from './providers.ts'

const LinkedAccount = Type.Object(
  {
    provider: ProviderField,
    username: Type.String({ description: 'What you are called there', examples: ['ada'] }),
    linkedAt: Time,
  },
  { title: 'LinkedAccount' },
)

export const LinkedAccounts = Type.Object({ linkedAccounts: Type.Array(LinkedAccount) }, { title: 'LinkedAccountList' })

export function listLinkedAccounts({ database }: { database: Database }) {
  const findLinked = database.prepare((query, userId: Arg<string>) =>
    query
      .selectFrom('linked_accounts')
      .select(['provider', 'username', 'linked_at'])
      .where('user_id', '=', userId)
      .orderBy('linked_at'),
  )
  return operation({
    id: 'listLinkedAccounts',
    summary: 'List the providers that sign in to the account',
    message: 'Linked accounts retrieved successfully',
    data: LinkedAccounts,
    links: {
      unlink: {
        operationId: 'unlinkAccount',
        description: 'Unlinks a provider of the list, here the first one',
        requestBody: '$response.body#/data/linkedAccounts/0',
      },
    },
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
