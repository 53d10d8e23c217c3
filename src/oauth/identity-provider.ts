import * as openid from 'openid-client'
import type { Config } from '../config/config.ts'
import { Refusal } from '../http/refusal.ts'
import {
  allowHttp,
  authorizationParameters,
  callProvider,
  fetchFromProvider,
  isUnknownClient,
  oauthErrorOf,
  REQUEST_TIMEOUT_SECONDS,
  withoutSecrets,
} from './client.ts'
import { clientAuthentication, namesNoAuthMethod, type SecretPlace } from './client-authentication.ts'
import { type Provider, providerUnreachable, refusedByProvider, splitName, textOf, titleOf } from './identity.ts'

/** An OpenID Connect provider. Its discovery document is fetched with the first sign-in. */
export function identityProvider(
  { issuer, clientId, clientSecret, title }: NonNullable<Config['idp']>,
  redirectUri: string,
): Provider {
  const configurations = new Map<SecretPlace, Promise<openid.Configuration>>()
  /** Where the provider last accepted the secret. The default is Basic (OpenID Connect Discovery 1.0, section 3). */
  let acceptedPlace: SecretPlace = 'header'

  function discover(place: SecretPlace): Promise<openid.Configuration> {
    const cached = configurations.get(place)
    if (cached) return cached
    const config = openid
      .discovery(new URL(issuer), clientId, clientSecret, clientAuthentication(clientSecret, place), {
        timeout: REQUEST_TIMEOUT_SECONDS,
        [openid.customFetch]: fetchFromProvider,
        // Verifies the signature of the ID token. OpenID Connect Core 1.0, section 3.1.3.7, leaves this optional for a
        // token that comes directly from the provider.
        execute: [...allowHttp(issuer), openid.enableNonRepudiationChecks],
      })
      .catch((cause) => {
        configurations.delete(place)
        // A failed discovery is no refusal of the sign-in: the document is missing or invalid.
        throw new Refusal(providerUnreachable, { cause: withoutSecrets(cause) })
      })
    configurations.set(place, config)
    return config
  }

  /**
   * Exchanges the code for tokens. When the provider names no method of client authentication and does not accept the
   * client, the request is repeated once with the secret in the other place. Later sign-ins use the place that worked.
   */
  async function exchange(callback: URL, checks: openid.AuthorizationCodeGrantChecks) {
    const place = acceptedPlace
    const config = await discover(place)
    try {
      return await openid.authorizationCodeGrant(config, callback, checks)
    } catch (error) {
      if (!namesNoAuthMethod(config.serverMetadata()) || !isUnknownClient(error)) throw error
    }
    const otherPlace = place === 'header' ? 'body' : 'header'
    try {
      const tokens = await openid.authorizationCodeGrant(await discover(otherPlace), callback, checks)
      acceptedPlace = otherPlace
      return tokens
    } catch (error) {
      if (oauthErrorOf(error) !== 'invalid_grant') throw error
      // The provider has accepted the client, but the first request has used up the code. The next sign-in succeeds.
      acceptedPlace = otherPlace
      throw new Refusal(refusedByProvider, { cause: new Error(codeUsedUp(otherPlace)) })
    }
  }

  async function fetchUserInfo(accessToken: string, subject: string) {
    return openid.fetchUserInfo(await discover(acceptedPlace), accessToken, subject)
  }

  return {
    name: 'idp',
    title: title ?? titleOf(issuer),
    authorizationUrl: (handshake) =>
      callProvider('idp', async () =>
        openid.buildAuthorizationUrl(await discover(acceptedPlace), {
          ...(await authorizationParameters(redirectUri, 'openid email profile', handshake)),
          nonce: handshake.nonce,
        }),
      ),
    identify: (callback, { state, codeVerifier, nonce }) =>
      callProvider('idp', async () => {
        const tokens = await exchange(callback, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims?.sub || claims.sub.includes('\0')) throw new Error('the provider sent no valid subject')
        // Some providers send the address only in the UserInfo response (OpenID Connect Core 1.0, section 5.3).
        const userClaims = claims.email ? claims : await fetchUserInfo(tokens.access_token, claims.sub)
        const { email, email_verified, given_name, family_name, name, preferred_username, picture } =
          userClaims as Claims
        const split = splitName(typeof name === 'string' ? name : '')
        return {
          provider: 'idp',
          issuer: claims.iss,
          subject: claims.sub,
          verifiedEmail: email_verified === true || email_verified === 'true' ? textOf(email) : undefined,
          firstName: textOf(given_name) || split.firstName,
          lastName: textOf(family_name) || split.lastName,
          username: textOf(preferred_username),
          avatar: textOf(picture),
        }
      }),
  }
}

function codeUsedUp(place: SecretPlace): string {
  return (
    `the provider accepts the client secret only in the ${place}, and its code was used up by the first attempt: ` +
    'the next sign-in will succeed'
  )
}

type Claims = Record<string, unknown>
