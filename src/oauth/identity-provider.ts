import * as openid from 'openid-client'
import type { Config } from '../config/config.ts'
import { Refusal } from '../http/refusal.ts'
import {
  allowHttp,
  authorizationParameters,
  fetchFromProvider,
  isUnknownClient,
  REQUEST_SECONDS,
  reasonOf,
  talkingToProvider,
  withoutSecrets,
} from './client.ts'
import { clientAuthentication, namesNoMethod, type SecretPlace } from './client-authentication.ts'
import { type Provider, providerUnreachable, refusedByProvider, splitName, textOf, titleOf } from './identity.ts'

/** Any OpenID Connect provider, found by discovery when it is first needed. */
export function identityProvider(
  { issuer, clientId, clientSecret, title }: NonNullable<Config['idp']>,
  redirectUri: string,
): Provider {
  const discovered = new Map<SecretPlace, Promise<openid.Configuration>>()
  /** Where the secret was accepted last. OpenID Connect Discovery, section 3: Basic is the default. */
  let acceptedIn: SecretPlace = 'header'

  function discover(place: SecretPlace): Promise<openid.Configuration> {
    const known = discovered.get(place)
    if (known) return known
    const config = openid
      .discovery(new URL(issuer), clientId, clientSecret, clientAuthentication(clientSecret, place), {
        timeout: REQUEST_SECONDS,
        [openid.customFetch]: fetchFromProvider,
        // The ID token's signature is checked too, though it comes straight from the provider.
        execute: [...allowHttp(issuer), openid.enableNonRepudiationChecks],
      })
      .catch((cause) => {
        discovered.delete(place)
        // It has refused nobody: it does not say what it is, or not properly.
        throw new Refusal(providerUnreachable, { cause: withoutSecrets(cause) })
      })
    discovered.set(place, config)
    return config
  }

  /**
   * Exchanges the code for tokens. A provider that names no method of client authentication and does not accept the client
   * is asked once more, with the secret in the other place; the place that worked is used from then on.
   */
  async function exchange(callback: URL, checks: openid.AuthorizationCodeGrantChecks) {
    const place = acceptedIn
    const config = await discover(place)
    try {
      return await openid.authorizationCodeGrant(config, callback, checks)
    } catch (error) {
      if (!namesNoMethod(config.serverMetadata()) || !isUnknownClient(error)) throw error
    }
    const otherPlace = place === 'header' ? 'body' : 'header'
    try {
      const tokens = await openid.authorizationCodeGrant(await discover(otherPlace), callback, checks)
      acceptedIn = otherPlace
      return tokens
    } catch (error) {
      if (reasonOf(error) !== 'invalid_grant') throw error
      // The client is known now, but the first attempt has used up the code. The next sign-in succeeds.
      acceptedIn = otherPlace
      throw new Refusal(refusedByProvider, { cause: new Error(codeUsedUp(otherPlace)) })
    }
  }

  async function askFor(accessToken: string, subject: string) {
    return openid.fetchUserInfo(await discover(acceptedIn), accessToken, subject)
  }

  return {
    name: 'idp',
    title: title ?? titleOf(issuer),
    authorizationUrl: (handshake) =>
      talkingToProvider('idp', async () =>
        openid.buildAuthorizationUrl(await discover(acceptedIn), {
          ...(await authorizationParameters(redirectUri, 'openid email profile', handshake)),
          nonce: handshake.nonce,
        }),
      ),
    identify: (callback, { state, codeVerifier, nonce }) =>
      talkingToProvider('idp', async () => {
        const tokens = await exchange(callback, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        if (!claims?.sub || claims.sub.includes('\0')) throw new Error('the provider does not say who it is')
        // Some providers tell the address only when they are asked for it.
        const said = claims.email ? claims : await askFor(tokens.access_token, claims.sub)
        const { email, email_verified, given_name, family_name, name, preferred_username, picture } = said as Claims
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
  return `the provider accepts the client secret only in the ${place}, and its code was used up by an attempt without: the next sign-in sends the secret there at once`
}

type Claims = Record<string, unknown>
