import { withMinimumDuration } from '../http/minimum-duration.ts'
import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { SIGN_IN_REFUSALS, sessionOf, signIn } from '../proofs/sign-in.ts'
import { lockUser } from '../sessions/lock-user.ts'
import { Code, Email } from './fields.ts'
import { mailedCodesOff } from './log-in-code.ts'
import type { AccountParts } from './parts.ts'
import { refreshLinks, SignedIn, signedIn } from './signed-in.ts'

const invalidCode = declareRefusal({
  status: 400,
  code: 'invalid_log_in_code',
  message: 'Invalid or expired code to log in',
  when: 'The code is wrong, used or expired, or was mailed to another address',
})

export function logInCodeVerify(parts: AccountParts) {
  const { config, database, codes, tokens, clientInfoOf } = parts
  return publicOperation({
    id: 'logInWithCode',
    summary: 'Log in with the mailed code',
    message: 'Login successful',
    body: Type.Object({ email: Email, code: Code }),
    data: SignedIn,
    refusals: [invalidCode, ...SIGN_IN_REFUSALS, mailedCodesOff],
    links: refreshLinks,
    async handle({ body: { email, code }, request }) {
      if (!config.mailedCodeLogIn) throw new Refusal(mailedCodesOff)
      const clientInfo = clientInfoOf(request)
      const proven = await withMinimumDuration(() =>
        database.transaction(async (tx) => {
          const user = await lockUser(tx, { email })
          if (!user || user.email_verified_at === null) return undefined
          if (!(await codes.redeem(tx, user, 'log-in', code))) return undefined
          return { user, result: await signIn(tx, parts, user, 'mailed-code', ['mail'], clientInfo, request) }
        }),
      )
      if (!proven) throw new Refusal(invalidCode)
      return { data: signedIn(tokens, sessionOf(proven.result), clientInfo, proven.user) }
    },
  })
}
