import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { applyFault, cookieOf, type Fault, listenOnLoopback, readForm, redirect, sendJson } from './local-servers.ts'
import { DENIAL_COOKIE, HOME, People, type SignInProvider, USER_COOKIE } from './providers.ts'

export interface CodeHost extends SignInProvider {
  /** The current fault of the provider. */
  faults: Partial<Record<'token' | 'user' | 'emails', Fault>>
  /** Every code, token and verifier that the provider issued or received, and its client secret. */
  secrets: Set<string>
}

const CLIENT = { id: 'codehost-client', secret: 'codehost-client-secret' }

interface Grant {
  user: string
  challenge: string
}

/** A code host with the URLs and the behaviour of GitHub. */
export async function startCodeHost(home = HOME): Promise<CodeHost> {
  const redirectUri = `${home}/api/oauth/codehost`
  const people = new People()
  const faults: CodeHost['faults'] = {}
  const secrets = new Set([CLIENT.secret])
  const codes = new Map<string, Grant>()
  const tokens = new Map<string, string>()
  let exchanges = 0

  const newSecret = () => {
    const secret = randomBytes(20).toString('hex')
    secrets.add(secret)
    return secret
  }

  function authorize(request: IncomingMessage, response: ServerResponse, query: URLSearchParams) {
    const parameters = Object.fromEntries(query)
    const isKnown = parameters.client_id === CLIENT.id && parameters.redirect_uri === redirectUri
    if (!isKnown || parameters.code_challenge_method !== 'S256' || !parameters.code_challenge) {
      return sendJson(response, { message: 'Not Found' }, 404)
    }
    // Like GitHub (RFC 9207).
    const common = { state: parameters.state ?? '', iss: `http://${request.headers.host}/login/oauth` }
    if (cookieOf(request, DENIAL_COOKIE)) return redirect(response, redirectUri, { error: 'access_denied', ...common })
    const code = newSecret()
    codes.set(code, { user: cookieOf(request, USER_COOKIE), challenge: parameters.code_challenge })
    redirect(response, redirectUri, { code, ...common })
  }

  async function exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    exchanges += 1
    const form = Object.fromEntries(await readForm(request))
    secrets.add(form.code_verifier ?? '')
    if (await applyFault(response, faults.token)) return
    const tokenResponse = tokenFor(form)
    if (request.headers.accept?.includes('application/json')) return sendJson(response, tokenResponse)
    response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded' })
    response.end(String(new URLSearchParams(tokenResponse)))
  }

  /** The status is always 200, like GitHub's. */
  function tokenFor(form: Record<string, string>): Record<string, string> {
    if (form.client_id !== CLIENT.id || form.client_secret !== CLIENT.secret) {
      return {
        error: 'incorrect_client_credentials',
        error_description: 'The client_id and/or client_secret are wrong.',
      }
    }
    if (form.redirect_uri !== redirectUri) {
      return { error: 'redirect_uri_mismatch', error_description: 'The redirect_uri does not match.' }
    }
    const grant = codes.get(form.code ?? '')
    codes.delete(form.code ?? '')
    const challenge = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url')
    if (grant?.challenge !== challenge) {
      return { error: 'bad_verification_code', error_description: `The code ${form.code} is incorrect or expired.` }
    }
    const token = newSecret()
    tokens.set(token, grant.user)
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' }
  }

  async function tell(request: IncomingMessage, response: ServerResponse, what: 'user' | 'emails') {
    if (await applyFault(response, faults[what])) return
    if (!request.headers['user-agent']) return sendJson(response, { message: 'User-Agent is missing' }, 403)
    const [, token = ''] = /^bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? []
    const subject = tokens.get(token)
    if (!subject) return sendJson(response, { message: 'Bad credentials' }, 401)
    const { email, verified, firstName, lastName, username, avatar } = people.get(subject)
    if (what === 'user') {
      const name = `${firstName} ${lastName}`
      return sendJson(response, { id: Number(subject), login: username, name, avatar_url: avatar, email: null })
    }
    sendJson(response, [
      // Another address of the same user, which must not be used.
      { email: `old-${subject}@example.org`, primary: false, verified, visibility: null },
      ...(email === undefined ? [] : [{ email, primary: true, verified, visibility: 'private' }]),
    ])
  }

  const server = await listenOnLoopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host.invalid')
    if (pathname === '/login/oauth/authorize') return authorize(request, response, searchParams)
    if (pathname === '/login/oauth/access_token') return exchange(request, response)
    if (pathname === '/api/v3/user') return tell(request, response, 'user')
    if (pathname === '/api/v3/user/emails') return tell(request, response, 'emails')
    sendJson(response, { message: 'Not Found' }, 404)
  })

  return {
    ...server,
    name: 'codehost',
    settings: {
      CODEHOST_CLIENT_ID: CLIENT.id,
      CODEHOST_CLIENT_SECRET: CLIENT.secret,
      CODEHOST_URL: server.url,
      CODEHOST_API_URL: `${server.url}/api/v3`,
    },
    people,
    faults,
    secrets,
    exchanges: () => exchanges,
  }
}
