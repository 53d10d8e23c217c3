import { operation } from '../http/operation.ts'
import { counter } from '../http/rate-limit.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { meansOf } from '../proofs/means.ts'
import { lockCaller } from '../sessions/lock-user.ts'
import { mailCode } from './mail-code.ts'
import type { AccountParts } from './parts.ts'

const otherMeans = declareRefusal({
  status: 400,
  code: 'other_means_available',
  message: 'This account has other means to prove your identity',
  when: 'The account has a password, a passkey or an authenticator app',
})

export function mailReauthenticationCode(parts: AccountParts) {
  const { database, limits, addressOf } = parts
  return operation({
    id: 'mailReauthenticationCode',
    summary: 'Mail a code that proves your identity',
    message: 'A code has been sent to your e-mail address',
    description: 'For accounts that have no password, no passkey and no authenticator app. Earlier codes stop working.',
    refusals: [otherMeans],
    limits: ['code'],
    async handle({ caller, request }) {
      await limits.take(request, counter('code', caller.user.email, addressOf(request)))
      await database.transaction(async (tx) => {
        const user = await lockCaller(tx, database.now, caller)
        if (!(await meansOf(tx, user)).includes('mailed-code')) throw new Refusal(otherMeans)
        await mailCode(tx, parts, user, 'reauthentication')
      })
      return {}
    },
  })
}
