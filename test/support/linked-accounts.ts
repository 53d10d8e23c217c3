import type { ProviderName } from '../../src/database/tables.ts'
import { type Answer, type Credentials, del, get } from './api.ts'
import { assertSucceeded } from './envelope.ts'
import type { Service } from './service.ts'

export interface ListedLink {
  provider: ProviderName
  username: string
  linkedAt: string
}

export async function linkedAccounts(service: { url: string }, as: Credentials): Promise<ListedLink[]> {
  const answer = await get(service, '/api/linked-accounts', { as })
  assertSucceeded(answer)
  return answer.body.data.linkedAccounts
}

/** The providers of an account, in the order of the alphabet. */
export async function linkedProviders(service: { url: string }, as: Credentials): Promise<string[]> {
  return (await linkedAccounts(service, as)).map(({ provider }) => provider).sort()
}

export const unlink = (service: { url: string }, provider: unknown, as?: Credentials): Promise<Answer> =>
  del(service, '/api/linked-accounts', { provider }, { as })

/** How many accounts there are with an address. */
export async function countAccounts({ portico: { database } }: Service, email: string): Promise<number> {
  const rows = await database.query.selectFrom('users').select('id').where('email', '=', email).execute()
  return rows.length
}
