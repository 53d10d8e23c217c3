import type { AccountParts } from '../accounts/parts.ts'
import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { PasskeyId } from '../proofs/passkey-schemas.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { PasskeyName, passkeyNotFound, StoredPasskeyName } from './passkey-fields.ts'

export function renamePasskey({ database, clientInfoOf }: AccountParts) {
  return operation({
    id: 'renamePasskey',
    summary: 'Rename a passkey',
    message: 'Passkey renamed successfully',
    body: Type.Object({ id: PasskeyId, name: PasskeyName }),
    data: Type.Object({ id: PasskeyId, name: StoredPasskeyName }),
    refusals: [passkeyNotFound],
    async handle({ body: { id, name }, caller, request }) {
      const { userId, sessionId } = caller
      const clientInfo = clientInfoOf(request)
      await database.transaction(async (tx) => {
        await lockCaller(tx, database.now, caller)
        const renamed = await tx
          .updateTable('passkeys')
          .set({ name })
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .returning('id')
          .executeTakeFirst()
        if (!renamed) throw new Refusal(passkeyNotFound)
        await recordEvent(tx, database.now, { type: 'passkey.renamed', userId, sessionId, clientInfo })
      })
      return { data: { id, name } }
    },
  })
}
