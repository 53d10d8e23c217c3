import * as openid from 'openid-client'
import type { Config } from '../config.ts'
import { allowHttp, authorizationParameters, REQUEST_SECONDS, talkingToProvider } from './client.ts'
import { type Provider, splitName, titleOf } from './identity.ts'

/** GitHub, GitHub Enterprise, or a host with the same addresses. It speaks OAuth 2 but not OpenID: its REST API tells who. */
export function codeHost(
  { url, apiUrl, clientId, clientSecret }: NonNullable<Config['codehost']>,
  redirectUri: string,
): Provider {
  const config = new openid.Configuration(
    {
      issuer: url,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    clientId,
    clientSecret,
  )
  config.timeout = REQUEST_SECONDS
  for (const allow of allowHttp(url)) allow(config)

  async function ask<T>(path: string, accessToken: string): Promise<T> {
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
    return (await response.json()) as T
  }

  return {
    name: 'codehost',
    title: titleOf(url),
    authorizationUrl: async (handshake) =>
      openid.buildAuthorizationUrl(
        config,
        await authorizationParameters(redirectUri, 'read:user user:email', handshake),
      ),
    identify: (callback, { state, codeVerifier }) =>
      talkingToProvider(async () => {
        const { access_token } = await openid.authorizationCodeGrant(config, callback, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
        })
        const [user, emails] = await Promise.all([
          ask<CodeHostUser>('/user', access_token),
          ask<CodeHostEmail[]>('/user/emails', access_token),
        ])
        return {
          provider: 'codehost',
          issuer: url,
          subject: String(user.id),
          verifiedEmail: emails.find(({ primary, verified }) => primary && verified)?.email,
          ...splitName(user.name ?? user.login),
          username: user.login,
          avatar: user.avatar_url,
        }
      }),
  }
}

/** As the REST API documents GET /user and GET /user/emails. */
interface CodeHostUser {
  id: number
  login: string
  name: string | null
  avatar_url: string
}

interface CodeHostEmail {
  email: string
  primary: boolean
  verified: boolean
}
