import type { AccountParts } from '../accounts/parts.ts'
import type { Tx } from '../database/engine.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { verifyNewPasskey } from '../proofs/passkey-registration.ts'
import { PasskeyAttestation, PasskeyId } from '../proofs/passkey-schemas.ts'
import { lockProvenCaller, reauthenticationRequired, withdrawStrongProofs } from '../proofs/recent-proof.ts'
import { admitChange } from './admit-change.ts'
import { PasskeyName, StoredPasskeyName } from './passkey-fields.ts'

const MAX_PASSKEYS = 20
const MAX_NAME_CHARACTERS = 50

// The response does not tell whether another account has the passkey.
const notAdded = declareRefusal({
  status: 400,
  code: 'passkey_not_added',
  message: 'The passkey could not be added, please try again',
  when: 'The passkey was not made for the options of this session within 5 minutes, or it is registered already',
})
const tooManyPasskeys = declareRefusal({
  status: 400,
  code: 'too_many_passkeys',
  message: 'An account can have at most 20 passkeys',
  when: 'The account has 20 passkeys',
})

export function addPasskey(parts: AccountParts) {
  const { database, webauthn, outbox, messages, clientInfoOf, browserSession } = parts
  const { now } = database
  return operation({
    id: 'addPasskey',
    summary: 'Add a passkey',
    message: 'Passkey added successfully',
    description:
      'The passkey must have been created with the options of POST /api/passkeys/registration-options. Without a name ' +
      'it is named for the browser. At most 20 for an account. Needs a recent proof of identity.',
    body: Type.Object({ name: Type.Optional(PasskeyName), passkey: PasskeyAttestation }),
    data: Type.Object({ id: PasskeyId, name: StoredPasskeyName }, { title: 'AddedPasskey' }),
    status: 201,
    refusals: [notAdded, tooManyPasskeys, reauthenticationRequired],
    limits: ['security'],
    async handle({ body: { name: chosenName, passkey }, caller, request }) {
      await admitChange(parts, request, caller)
      const { userId } = caller
      const clientInfo = clientInfoOf(request)
      const verified = await verifyNewPasskey(parts, passkey, caller)
      if (!verified) throw new Refusal(notAdded)
      const { id, challenge } = verified
      const name = chosenName ?? defaultName(clientInfo)
      const cookies = await database.transaction(async (tx) => {
        const user = await lockProvenCaller(tx, parts, caller)
        if (!(await webauthn.challenges.use(tx, challenge))) throw new Refusal(notAdded)
        if ((await countPasskeys(tx, userId)) >= MAX_PASSKEYS) throw new Refusal(tooManyPasskeys)
        await withdrawStrongProofs(tx, { ...caller, user })
        const added = await tx
          .insertInto('passkeys')
          .values({
            id,
            user_id: userId,
            name,
            public_key: verified.publicKey,
            sign_count: verified.signCount,
            transports: JSON.stringify(verified.transports),
            is_backed_up: verified.isBackedUp ? 1 : 0,
            aaguid: verified.aaguid,
            created_at: now,
            last_used_at: null,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst()
        if (!added) throw new Refusal(notAdded)
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        await recordEvent(tx, now, { type: 'passkey.added', userId, sessionId, clientInfo })
        await outbox.enqueue(tx, user.email, messages.passkeyAdded(user.first_name, clientInfo))
        return cookies
      })
      return { data: { id, name }, cookies }
    },
  })
}

/** Such as "Passkey of Firefox on Linux". */
function defaultName({ family: { browser, os } }: ClientInfo): string {
  const known = [browser, os].filter((name) => name !== 'Unknown')
  return ['Passkey', ...(known.length > 0 ? ['of', known.join(' on ')] : [])].join(' ').slice(0, MAX_NAME_CHARACTERS)
}

async function countPasskeys(tx: Tx, userId: string): Promise<number> {
  const { passkeys } = await tx
    .selectFrom('passkeys')
    .select((eb) => eb.fn.countAll<number>().as('passkeys'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return passkeys
}
