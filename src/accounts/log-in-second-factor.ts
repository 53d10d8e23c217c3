import type { Tx } from '../database/engine.ts'
import type { UserRow } from '../database/tables.ts'
import { recordEvent } from '../events/security-events.ts'
import type { ClientInfo } from '../http/client-info.ts'
import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import { type Static, Type } from '../http/schema.ts'
import { PasskeyAssertion } from '../proofs/passkey-schemas.ts'
import { passkeyNotAccepted, provePasskey, verifyPasskey } from '../proofs/passkeys.ts'
import { useRecoveryCode, verifyAppCode } from '../proofs/second-factor.ts'
import { lockUser } from '../sessions/lock-user.ts'
import type { ProofMethod } from '../sessions/proof-methods.ts'
import { startSession } from '../sessions/start.ts'
import { accountSuspended } from '../sessions/suspension.ts'
import { AppCode } from './fields.ts'
import type { AccountParts } from './parts.ts'
import { requireOneOf } from './require-one-of.ts'
import { refreshLinks, SignedIn, signedIn } from './signed-in.ts'

const unknownChallenge = declareRefusal({
  status: 400,
  code: 'invalid_challenge',
  message: 'This sign-in has expired: please log in again',
  when: 'The challenge is unknown, used or expired, or all its tries are used',
})
const wrongSecondFactor = declareRefusal({
  status: 400,
  code: 'invalid_second_factor',
  message: 'The code is wrong or was used already',
  when: 'The code is not a current one of the authenticator app, or the recovery code is wrong or used, or too many wrong codes were entered',
})

const SecondFactorProofs = Type.Object({
  code: Type.Optional(AppCode),
  passkey: Type.Optional(Type.Unsafe<PasskeyAssertion>({ ...PasskeyAssertion, 'x-instead-of': 'code' })),
  recoveryCode: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[0-9A-Za-z -]+$',
      'x-pattern-words': 'letters and digits, with spaces or hyphens between them',
      'x-message': 'Recovery code must have letters and digits, such as 4T7XK-9QWZ2-M3V8C',
      description: 'One of the recovery codes. Case, spaces and hyphens do not matter',
      'x-instead-of': 'code',
      examples: ['4T7XK-9QWZ2-M3V8C'],
    }),
  ),
})
type SecondFactorProofs = Static<typeof SecondFactorProofs>

export function logInSecondFactor(parts: AccountParts) {
  const { database, tokens, clientInfoOf, refusedProofs, secondFactorChallenges, rememberedBrowsers } = parts
  const { now } = database
  return publicOperation({
    id: 'logInSecondFactor',
    summary: 'Finish a log-in with the second factor',
    message: 'Login successful',
    description:
      'Takes the challenge of a response with the code second_factor_required, and exactly one of code, recoveryCode ' +
      'and passkey. The options for a passkey are those of POST /api/log-in/passkey/options. A challenge has five tries ' +
      'in ten minutes. With rememberBrowser, a cookie lets this browser sign in without the second factor for 30 days.',
    body: Type.Object({
      challenge: Type.String({
        minLength: 1,
        maxLength: 128,
        pattern: '^[A-Za-z0-9_-]*$',
        'x-pattern-words': 'base64url',
        description: 'data.challenge of the first step',
        examples: ['Zx3kq9eVb0m4sQ7w'],
      }),
      ...SecondFactorProofs.properties,
      rememberBrowser: Type.Optional(Type.Boolean({ examples: [false] })),
    }),
    data: SignedIn,
    refusals: [unknownChallenge, wrongSecondFactor, passkeyNotAccepted, accountSuspended],
    links: refreshLinks,
    async handle({ body, request }) {
      requireOneOf(SecondFactorProofs, body)
      const { challenge, rememberBrowser = false } = body
      const clientInfo = clientInfoOf(request)
      const userId = await secondFactorChallenges.findAccount(challenge)
      if (userId === undefined) throw new Refusal(unknownChallenge)
      const passkey = body.passkey && (await verifyPasskey(parts, body.passkey))
      // A signature cannot be guessed, so this is not counted as a try.
      if (body.passkey && passkey?.userId !== userId) throw new Refusal(passkeyNotAccepted)
      const result = await database.transaction(async (tx) => {
        const user = await lockUser(tx, { id: userId })
        const firstFactor = user && (await secondFactorChallenges.take(tx, user.id, challenge))
        if (!user || !firstFactor) throw new Refusal(unknownChallenge)
        const methods = passkey
          ? await provePasskey(tx, parts, passkey, clientInfo)
          : await provenMethods(tx, user, body, clientInfo)
        // The transaction commits, because it contains the count of tries.
        if (!methods) return undefined
        await secondFactorChallenges.finish(tx, challenge)
        const { authMethod } = firstFactor
        const session = await startSession(
          tx,
          parts,
          user,
          authMethod,
          [...firstFactor.methods, ...methods],
          clientInfo,
        )
        const cookies = rememberBrowser ? [await rememberedBrowsers.remember(tx, user.id, request, clientInfo)] : []
        if (rememberBrowser) {
          const { sessionId } = session
          await recordEvent(tx, now, { type: 'browser.remembered', userId: user.id, sessionId, clientInfo })
        }
        return { user, session, cookies }
      })
      if (!result) {
        refusedProofs.record('second-factor.failed', userId, clientInfo)
        throw new Refusal(wrongSecondFactor)
      }
      const { user, session, cookies } = result
      return { data: signedIn(tokens, session, clientInfo, user), cookies }
    },
  })

  /** The methods that the second factor proves; undefined when it is wrong. */
  async function provenMethods(
    tx: Tx,
    user: UserRow,
    { code, recoveryCode = '' }: SecondFactorProofs,
    clientInfo: ClientInfo,
  ): Promise<ProofMethod[] | undefined> {
    const isCorrect =
      code === undefined
        ? await useRecoveryCode(tx, parts, user, recoveryCode, clientInfo)
        : await verifyAppCode(tx, parts, user, code, clientInfo)
    return isCorrect ? ['otp'] : undefined
  }
}
