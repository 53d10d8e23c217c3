import type { AccountParts } from '../accounts/parts.ts'
import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockProvenCaller, reauthenticationRequired } from '../proofs/recent-proof.ts'
import { readFactors, requireSecondFactor, turnOffSecondFactor } from '../proofs/second-factor.ts'
import { admitChange } from './admit-change.ts'
import { RecoveryCodeList } from './fields.ts'

const noFactor = declareRefusal({
  status: 409,
  code: 'no_second_factor',
  message: 'Add an authenticator app or a passkey first',
  when: 'The account has neither an authenticator app nor a passkey',
})

export function changeSecondFactor(parts: AccountParts) {
  const { database, outbox, messages, clientInfoOf, browserSession } = parts
  return operation({
    id: 'changeSecondFactor',
    summary: 'Turn two-step sign-in on or off',
    message: 'Two-step sign-in is on',
    description:
      'On: every sign-in needs the authenticator app, a recovery code or a passkey too. The response has new recovery ' +
      'codes if the account had none. Off: the recovery codes and the remembered browsers are deleted; the app and ' +
      'the passkeys stay. Needs a recent proof of identity.',
    body: Type.Object({ isRequired: Type.Boolean({ examples: [true] }) }),
    data: Type.Object(
      {
        isRequired: Type.Boolean({ examples: [true] }),
        recoveryCodes: Type.Array(Type.String(), {
          ...RecoveryCodeList,
          description: 'New codes, shown only here. Empty if none were made',
        }),
      },
      { title: 'SecondFactorChanged' },
    ),
    refusals: [noFactor, reauthenticationRequired],
    limits: ['security'],
    async handle({ body: { isRequired }, caller, request }) {
      await admitChange(parts, request, caller)
      const { recoveryCodes, cookies } = await database.transaction(async (tx) => {
        const user = await lockProvenCaller(tx, parts, caller)
        if (isRequired === (user.second_factor_required === 1)) return { recoveryCodes: [], cookies: [] }
        const recoveryCodes = isRequired ? await turnOn(tx, user) : []
        if (!isRequired) await turnOffSecondFactor(tx, user.id)
        const clientInfo = clientInfoOf(request)
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        const type = isRequired ? 'second-factor.turned-on' : 'second-factor.turned-off'
        await recordEvent(tx, database.now, { type, userId: user.id, sessionId, clientInfo })
        const message = isRequired ? messages.secondFactorTurnedOn : messages.secondFactorTurnedOff
        await outbox.enqueue(tx, user.email, message(user.first_name, clientInfo))
        return { recoveryCodes, cookies }
      })
      return {
        message: isRequired ? 'Two-step sign-in is on' : 'Two-step sign-in is off',
        data: { isRequired, recoveryCodes },
        cookies,
      }
    },
  })

  /** Returns the new recovery codes, or none if the account has some. */
  async function turnOn(tx: Tx, { id }: UserRow): Promise<string[]> {
    const { app, passkeys, recoveryCodesLeft } = await readFactors(tx, parts, id)
    if (!app && passkeys === 0) throw new Refusal(noFactor)
    await requireSecondFactor(tx, id)
    return recoveryCodesLeft > 0 ? [] : parts.recoveryCodes.replace(tx, id)
  }
}
