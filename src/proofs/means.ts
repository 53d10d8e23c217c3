import type { Query, Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'

/** The means by which the account holder can prove their identity again. */
export type Means = 'password' | 'passkey' | 'authenticator-app' | 'mailed-code'

/** The means of proof that an account has. A mailed code is accepted only if the account has no other means. */
export async function meansOf(query: Query | Tx, user: Pick<UserRow, 'id' | 'password_hash'>): Promise<Means[]> {
  const { passkeys, apps } = await query
    .selectNoFrom((eb) => [
      eb.exists(eb.selectFrom('passkeys').select('id').where('user_id', '=', user.id)).as('passkeys'),
      eb
        .exists(
          eb
            .selectFrom('authenticator_apps')
            .select('user_id')
            .where('user_id', '=', user.id)
            .where('confirmed_at', 'is not', null),
        )
        .as('apps'),
    ])
    .executeTakeFirstOrThrow()
  const means: Means[] = []
  if (user.password_hash !== null) means.push('password')
  if (passkeys) means.push('passkey')
  if (apps) means.push('authenticator-app')
  return means.length > 0 ? means : ['mailed-code']
}
