import type { AccountParts } from '../accounts/parts.ts'
import { recordEvent } from '../events/security-events.ts'
import { operation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { lockProvenCaller, reauthenticationRequired } from '../proofs/recent-proof.ts'
import { admitChange } from './admit-change.ts'
import { RecoveryCodeList } from './fields.ts'

const notRequired = declareRefusal({
  status: 409,
  code: 'second_factor_off',
  message: 'Turn two-step sign-in on first',
  when: 'Two-step sign-in is off, so that recovery codes have no use',
})

export function replaceRecoveryCodes(parts: AccountParts) {
  const { database, outbox, messages, clientInfoOf, browserSession, recoveryCodes } = parts
  return operation({
    id: 'replaceRecoveryCodes',
    summary: 'Make new recovery codes',
    message: 'Recovery codes replaced successfully',
    description: 'All earlier codes stop working. Needs a recent proof of identity.',
    data: Type.Object({ recoveryCodes: RecoveryCodeList }, { title: 'RecoveryCodes' }),
    refusals: [notRequired, reauthenticationRequired],
    limits: ['security'],
    async handle({ caller, request }) {
      await admitChange(parts, request, caller)
      const { codes, cookies } = await database.transaction(async (tx) => {
        const user = await lockProvenCaller(tx, parts, caller)
        if (user.second_factor_required === 0) throw new Refusal(notRequired)
        const codes = await recoveryCodes.replace(tx, user.id)
        const clientInfo = clientInfoOf(request)
        const { sessionId, cookies } = await browserSession.renew(tx, caller)
        await recordEvent(tx, database.now, { type: 'recovery-codes.replaced', userId: user.id, sessionId, clientInfo })
        await outbox.enqueue(tx, user.email, messages.recoveryCodesReplaced(user.first_name, clientInfo))
        return { codes, cookies }
      })
      return { data: { recoveryCodes: codes }, cookies }
    },
  })
}
