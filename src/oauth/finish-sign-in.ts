import { ADMISSION_REFUSALS } from '../accounts/admission.ts'
import { emailReserved } from '../accounts/email-undos.ts'
import { SignedIn, signedIn } from '../accounts/signed-in.ts'
import type { ProviderName } from '../database/enumerations.ts'
import { NO_NUL } from '../http/fields.ts'
import { publicOperation } from '../http/operation.ts'
import { declareRefusal, Refusal } from '../http/refusal.ts'
import type { Request } from '../http/request.ts'
import { Type } from '../http/schema.ts'
import { reauthenticationRequired, requireOwnerProof } from '../proofs/recent-proof.ts'
import { SIGN_IN_REFUSALS, secondFactorPagePath, secondFactorRequired, sessionOf, signIn } from '../proofs/sign-in.ts'
import { endOwnSession } from '../sessions/end.ts'
import { lockSessionAccount } from '../sessions/lock-user.ts'
import { accountFor, noVerifiedEmail } from './account-for-identity.ts'
import type { StoredHandshake } from './handshakes.ts'
import { type Identity, type Provider, providerUnreachable, refusedByProvider } from './identity.ts'
import { connectIdentity, linkedElsewhere, wasUnlinked } from './link-identity.ts'
import { configured, notConfigured, type OAuthParts } from './parts.ts'

const unknownHandshake = declareRefusal({
  status: 400,
  code: 'unknown_sign_in',
  message: 'This sign-in is unknown, finished or expired: please start again',
  when: 'The state of the callback is unknown, used or expired, or belongs to another browser or session',
})

export function finishSignIn(name: ProviderName, parts: OAuthParts) {
  const {
    config,
    database,
    tokens,
    providers,
    handshakes,
    handshakeCookie,
    secondFactorCookie,
    noticeCookie,
    browserSession,
  } = parts
  return publicOperation({
    id: `finish${name === 'idp' ? 'Idp' : 'Codehost'}SignIn`,
    summary: 'Finish signing in: the callback of the provider',
    message: 'Login successful',
    description:
      'With Accept: application/json the response has the token pair, as log-in has. Otherwise the browser is signed ' +
      'in by a cookie and sent to the path it asked for, or to /log-in/second-factor first. When a signed-in caller began it to link the provider, ' +
      'no session begins, and the response has no data.',
    query: Type.Object({
      code: Type.Optional(Type.String({ ...NO_NUL, description: 'From the provider', examples: ['4f8c2d'] })),
      state: Type.Optional(
        Type.String({ ...NO_NUL, description: 'What the sign-in began with', examples: ['Zx3kq9'] }),
      ),
      error: Type.Optional(
        Type.String({
          ...NO_NUL,
          description: 'Why the provider refused',
          'x-instead-of': 'code',
          examples: ['access_denied'],
        }),
      ),
    }),
    data: Type.Optional(SignedIn),
    redirects: true,
    isSafe: false,
    refusals: [
      unknownHandshake,
      refusedByProvider,
      noVerifiedEmail,
      wasUnlinked,
      linkedElsewhere,
      emailReserved,
      ...ADMISSION_REFUSALS,
      ...SIGN_IN_REFUSALS,
      reauthenticationRequired,
      notConfigured,
      providerUnreachable,
    ],
    async handle({ query, request }) {
      const provider = configured(providers, name)
      const secret = handshakeCookie.read(request)
      const handshake = secret && query.state ? await handshakes.finish(name, secret, query.state) : undefined
      if (!handshake) throw new Refusal(unknownHandshake)

      // The configured base URL, because the client controls the header `Host`.
      const callback = new URL(`${config.baseUrl}/api/oauth/${name}${request.url.slice(request.url.indexOf('?'))}`)
      const identity = await provider.identify(callback, handshake)
      if (handshake.linkingSession)
        return finishLinking(request, provider, identity, handshake, handshake.linkingSession)
      const clientInfo = parts.clientInfoOf(request)
      const { user, result } = await database.transaction(async (tx) => {
        const user = await accountFor(tx, parts, provider, identity, clientInfo)
        return { user, result: await signIn(tx, parts, user, name, ['fed'], clientInfo, request) }
      })
      if ('secondFactor' in result && !wantsJson(request)) {
        return {
          redirect: secondFactorPagePath(handshake.returnTo),
          cookies: [secondFactorCookie.set(result.secondFactor.challenge)],
          outcome: secondFactorRequired.code,
        }
      }
      const session = sessionOf(result)
      if (wantsJson(request)) {
        return { data: signedIn(tokens, session, clientInfo, user) }
      }
      // The new cookie replaces that of the previous session, which would otherwise stay active until it expires.
      const previous = await browserSession.find(request)
      if (previous) await endOwnSession(parts, previous.caller, clientInfo)
      return { redirect: handshake.returnTo, cookies: [browserSession.cookieFor(session)] }
    },
  })

  /** Links the identity to the account that began the handshake. Renews its browser session, as for a new password. */
  async function finishLinking(
    request: Request,
    provider: Provider,
    identity: Identity,
    { returnTo }: StoredHandshake,
    linkingSession: NonNullable<StoredHandshake['linkingSession']>,
  ) {
    const current = await browserSession.find(request)
    // Another account has signed in with this browser since the handshake began.
    if (current && current.caller.userId !== linkingSession.userId) throw new Refusal(unknownHandshake)
    const isBrowser = current?.caller.sessionId === linkingSession.sessionId
    const cookies = await database.transaction(async (tx) => {
      const user = await lockSessionAccount(tx, database.now, linkingSession)
      if (!user) throw new Refusal(unknownHandshake)
      // The handshake may have begun before the account had its first passkey or app, or its role.
      await requireOwnerProof(tx, { ...linkingSession, user })
      await connectIdentity(tx, parts, provider, identity, user, parts.clientInfoOf(request))
      return (await browserSession.renew(tx, { ...linkingSession, user, isBrowser })).cookies
    })
    if (wantsJson(request)) return { message: 'Account linked successfully', cookies, outcome: 'linked' }
    return { redirect: returnTo, cookies: [...cookies, noticeCookie.set('sign-in-linked')], outcome: 'linked' }
  }
}

function wantsJson({ headers }: Request): boolean {
  return headers.accept?.includes('application/json') ?? false
}
