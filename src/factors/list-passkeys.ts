import type { Arg } from '../database/prepared.ts'
import { Time } from '../http/fields.ts'
import { operation } from '../http/operation.ts'
import { nullable, Type } from '../http/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import { PasskeyId } from '../proofs/passkey-schemas.ts'
import type { PasskeyParts } from '../proofs/passkeys.ts'
import { StoredPasskeyName } from './passkey-fields.ts'

const Passkey = Type.Object(
  {
    id: PasskeyId,
    name: StoredPasskeyName,
    isSynced: Type.Boolean({ description: 'Whether its provider has copied it to other devices or to a backup' }),
    createdAt: Time,
    lastUsedAt: nullable(Time),
  },
  { title: 'Passkey' },
)

export const Passkeys = Type.Object(
  {
    passkeys: Type.Array(Passkey),
    rpId: Type.String({
      description: 'The host that the passkeys are for, such as for PublicKeyCredential.signalAllAcceptedCredentials',
      examples: ['example.com'],
    }),
    userHandle: nullable(
      Type.String({
        description: 'The user handle of the passkeys, null before the first one',
        examples: ['mFv3b9qkQ2xWc7Zr0aUeYt5dLh8sJp1NoG4iXy6TzRw'],
      }),
    ),
  },
  { title: 'PasskeyList' },
)

export function listPasskeys({ database, webauthn: { relyingParty } }: Pick<PasskeyParts, 'database' | 'webauthn'>) {
  const findPasskeys = database.prepare((query, userId: Arg<string>) =>
    query
      .selectFrom('passkeys')
      .select(['id', 'name', 'is_backed_up', 'created_at', 'last_used_at'])
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .orderBy('id'),
  )
  const findHandle = database.prepare((query, userId: Arg<string>) =>
    query.selectFrom('passkey_handles').select('handle').where('user_id', '=', userId),
  )
  return operation({
    id: 'listPasskeys',
    summary: 'List the passkeys of the account',
    message: 'Passkeys retrieved successfully',
    data: Passkeys,
    links: {
      remove: {
        operationId: 'removePasskey',
        description: 'Removes a passkey of the list, here the first one',
        requestBody: '$response.body#/data/passkeys/0',
      },
    },
    async handle({ caller: { userId } }) {
      const [rows, [handle]] = await Promise.all([findPasskeys(userId), findHandle(userId)])
      const passkeys = rows.map(({ id, name, is_backed_up, created_at, last_used_at }) => ({
        id,
        name,
        isSynced: is_backed_up === 1,
        createdAt: isoTime(created_at),
        lastUsedAt: isoTimeOrNull(last_used_at),
      }))
      return { data: { passkeys, rpId: relyingParty.id, userHandle: handle?.handle ?? null } }
    },
  })
}
