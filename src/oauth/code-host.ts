import * as openid from 'openid-client'
import type { Config } from '../config/config.ts'
import { allowHttp, authorizationParameters, fetchFromProvider, REQUEST_SECONDS, talkingToProvider } from './client.ts'
import { type Provider, splitName, textOf, titleOf } from './identity.ts'

/** GitHub, GitHub Enterprise, Gitea, Forgejo, or another host with the same addresses. It speaks OAuth 2 but not OpenID: its REST API tells who. */
export function codeHost(
  { url, apiUrl, clientId, clientSecret, title }: NonNullable<Config['codehost']>,
  redirectUri: string,
): Provider {
  const config = new openid.Configuration(
    {
      // What GitHub calls itself in the `iss` of its callbacks (RFC 9207).
      issuer: `${url}/login/oauth`,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    clientId,
    clientSecret,
  )
  config.timeout = REQUEST_SECONDS
  config[openid.customFetch] = fetchFromProvider
  for (const allow of allowHttp(url)) allow(config)

  async function ask(path: string, accessToken: string): Promise<unknown> {
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
    if (!response.ok) throw new Error(`the code host answered ${response.status}`)
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
      talkingToProvider('codehost', async () => {
        const { access_token } = await openid.authorizationCodeGrant(config, callback, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
        })
        const [user, emails] = await Promise.all([ask('/user', access_token), ask('/user/emails', access_token)])
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

/** GET /user, as far as it must be: without a number and a name nobody can be told apart. */
function readUser(user: unknown) {
  const { id, login, name, avatar_url } = (user ?? {}) as Record<string, unknown>
  if (!Number.isSafeInteger(id) || typeof login !== 'string') throw new Error('the code host does not say who it is')
  return { id, login, name, avatar_url }
}

/** GET /user/emails: the primary address, if it is verified. */
function primaryEmail(emails: unknown): string | undefined {
  if (!Array.isArray(emails)) throw new Error('the code host has no list of addresses')
  const found = emails.find((entry) => entry?.primary === true && entry.verified === true)
  return textOf(found?.email)
}
