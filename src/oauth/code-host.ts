import * as openid from 'openid-client'
import type { Config } from '../config/config.ts'
import {
  allowHttp,
  authorizationParameters,
  callProvider,
  fetchFromProvider,
  REQUEST_TIMEOUT_SECONDS,
} from './client.ts'
import { type Provider, splitName, textOf, titleOf } from './identity.ts'

/**
 * GitHub, GitHub Enterprise, Gitea, Forgejo, or another code host with the same paths. It supports OAuth 2.0 without
 * OpenID Connect, so the identity is read from its REST API.
 */
export function codeHost(
  { url, apiUrl, clientId, clientSecret, title }: NonNullable<Config['codehost']>,
  redirectUri: string,
): Provider {
  const config = new openid.Configuration(
    {
      // The `iss` parameter of GitHub's callbacks (RFC 9207).
      issuer: `${url}/login/oauth`,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    clientId,
    clientSecret,
  )
  config.timeout = REQUEST_TIMEOUT_SECONDS
  config[openid.customFetch] = fetchFromProvider
  for (const allow of allowHttp(url)) allow(config)

  async function fetchJson(path: string, accessToken: string): Promise<unknown> {
    const headers = new Headers({
      Accept: 'application/vnd.github+json',
      'User-Agent': 'Portico',
      'X-GitHub-Api-Version': '2022-11-28',
    })
    const response = await openid.fetchProtectedResource(
      config,
      accessToken,
      new URL(apiUrl + path),
      'GET',
      null,
      headers,
    )
    if (!response.ok) throw new Error(`the code host responded with status ${response.status}`)
    return response.json()
  }

  return {
    name: 'codehost',
    title: title ?? titleOf(url),
    authorizationUrl: async (handshake) =>
      openid.buildAuthorizationUrl(
        config,
        await authorizationParameters(redirectUri, 'read:user user:email', handshake),
      ),
    identify: (callback, { state, codeVerifier }) =>
      callProvider('codehost', async () => {
        const { access_token } = await openid.authorizationCodeGrant(config, callback, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
        })
        const [user, emails] = await Promise.all([
          fetchJson('/user', access_token),
          fetchJson('/user/emails', access_token),
        ])
        const { id, login, name, avatar_url } = readUser(user)
        return {
          provider: 'codehost',
          issuer: url,
          subject: String(id),
          verifiedEmail: primaryEmail(emails),
          ...splitName(textOf(name) || login),
          username: login,
          avatar: textOf(avatar_url),
        }
      }),
  }
}

/** Reads the response to GET /user. The numeric id and the login name are required. */
function readUser(user: unknown) {
  const { id, login, name, avatar_url } = (user ?? {}) as Record<string, unknown>
  if (!Number.isSafeInteger(id) || typeof login !== 'string')
    throw new Error('the code host sent no user id and login name')
  return { id, login, name, avatar_url }
}

/** Reads the response to GET /user/emails. Returns the primary address if it is verified. */
function primaryEmail(emails: unknown): string | undefined {
  if (!Array.isArray(emails)) throw new Error('the code host sent no list of e-mail addresses')
  const primary = emails.find((entry) => entry?.primary === true && entry.verified === true)
  return textOf(primary?.email)
}
