import { randomUUID } from 'node:crypto'
import { type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import { changePassword } from './accounts/change-password.ts'
import { changeUsername } from './accounts/change-username.ts'
import { checkUsername } from './accounts/check-username.ts'
import { createAccount } from './accounts/create-account.ts'
import { deleteAccount } from './accounts/delete-account.ts'
import { forgotPassword } from './accounts/forgot-password.ts'
import { listSecurityEvents } from './accounts/list-security-events.ts'
import { logIn } from './accounts/log-in.ts'
import { newPasswordKeyword } from './accounts/password-policy.ts'
import { servePictures } from './accounts/pictures.ts'
import { readProfile } from './accounts/read-profile.ts'
import { removeAvatar } from './accounts/remove-avatar.ts'
import { resendVerification } from './accounts/resend-verification.ts'
import { resetPassword } from './accounts/reset-password.ts'
import { setAvatar } from './accounts/set-avatar.ts'
import { updateProfile } from './accounts/update-profile.ts'
import { uploadPicture } from './accounts/upload-picture.ts'
import { verifyEmail } from './accounts/verify-email.ts'
import { answerBadHttp, answerExpectation } from './http/bad-http.ts'
import { acceptJsonOnly, BODY_LIMIT } from './http/body.ts'
import { allowOrigins } from './http/cors.ts'
import { answerBadUrl, answerFailures } from './http/edge.ts'
import { securityHeaders, sendSecurityHeaders } from './http/headers.ts'
import { reportHealth } from './http/health.ts'
import { countTheRest, mount } from './http/mount.ts'
import { acceptFiles } from './http/multipart.ts'
import { describeApi } from './http/openapi.ts'
import type { Route } from './http/operation.ts'
import { represent, sendRepresentation } from './http/representation.ts'
import { logRequests } from './http/request-log.ts'
import { routePath } from './http/route-path.ts'
import { schemaCompilers } from './http/validation.ts'
import { showMailbox } from './mail/mailbox-page.ts'
import { finishSignIn } from './oauth/finish-sign-in.ts'
import { listLinkedAccounts } from './oauth/list-linked-accounts.ts'
import { startSignIn } from './oauth/start-sign-in.ts'
import { unlinkAccount } from './oauth/unlink-account.ts'
import { serveAccountPages } from './pages/account/serve.ts'
import { isOurs, serveSite } from './pages/site.ts'
import type { Portico } from './portico.ts'
import { createAuthenticate } from './sessions/authenticate.ts'
import { serveJwks } from './sessions/jwks.ts'
import { listSessions } from './sessions/list.ts'
import { logOut } from './sessions/log-out.ts'
import { refreshToken } from './sessions/refresh.ts'
import { revokeSession } from './sessions/revoke.ts'
import { revokeOtherSessions } from './sessions/revoke-others.ts'

const accountRoutes = (portico: Portico): Route[] => [
  ['POST', '/api/create-account', createAccount(portico)],
  ['POST', '/api/email-verification', verifyEmail(portico)],
  ['POST', '/api/email-verification/resend', resendVerification(portico)],
  ['POST', '/api/log-in', logIn(portico)],
  ['POST', '/api/auth/refresh-token', refreshToken(portico)],
  ['POST', '/api/auth/logout', logOut(portico)],
  ['GET', '/api/oauth/codehost/start', startSignIn('codehost', portico)],
  ['GET', '/api/oauth/codehost', finishSignIn('codehost', portico)],
  ['GET', '/api/oauth/idp/start', startSignIn('idp', portico)],
  ['GET', '/api/oauth/idp', finishSignIn('idp', portico)],
  ['GET', '/api/linked-accounts', listLinkedAccounts(portico)],
  ['DELETE', '/api/linked-accounts', unlinkAccount(portico)],
  ['POST', '/api/forgot-password', forgotPassword(portico)],
  ['POST', '/api/reset-password', resetPassword(portico)],
  ['POST', '/api/change-password', changePassword(portico)],
  ['GET', '/api/user-details', readProfile()],
  ['POST', '/api/user-details', updateProfile(portico)],
  ['GET', '/api/change-username', checkUsername(portico)],
  ['POST', '/api/change-username', changeUsername(portico)],
  ['POST', '/api/upload-avatar', setAvatar(portico)],
  ['DELETE', '/api/upload-avatar', removeAvatar(portico)],
  ['DELETE', '/api/delete-user', deleteAccount(portico)],
  ['GET', '/api/sessions', listSessions(portico)],
  ['DELETE', '/api/sessions', revokeSession(portico)],
  ['DELETE', '/api/sessions/others', revokeOtherSessions(portico)],
  ['GET', '/api/security-events', listSecurityEvents(portico)],
]

const fileRoutes = (portico: Portico): Route[] => [['POST', '/api/uploads', uploadPicture(portico)]]

// Each may hold as much memory as its headers are large. Beyond it, new ones are closed at once.
const MOST_CONNECTIONS = 5000

export interface App {
  server: FastifyInstance
  /** From now on /readyz says no, so that no new traffic is sent here. */
  drain(): void
  /** Reads the content folder again. */
  refresh(): void
}

export async function createApp(portico: Portico): Promise<App> {
  const { config, database, log, limits, addressOf } = portico
  const protection = securityHeaders({ https: config.baseUrl.startsWith('https:') })
  let draining = false

  const server = fastify({
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT,
    // A proxy may send the whole address, of which only the path is ours to read.
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/')),
    schemaController: schemaCompilers([newPasswordKeyword(config.passwordPolicy)]),
    clientErrorHandler: answerBadHttp(protection),
    frameworkErrors: (_error, request, reply) => {
      // No hook has seen such a request.
      reply.headers(protection).header('X-Request-Id', request.id)
      if (isOurs(request.url)) answerBadUrl(request, reply)
      else site.notFound(request, reply)
    },
    // A slow client may not hold a connection for long: Node looks for them only so often. Headers may be large enough
    // for a hostile token to be refused as one, and a missing Host is refused by us, in the envelope.
    http: {
      requireHostHeader: false,
      maxHeaderSize: 128 * 1024,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 1000,
    },
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    // What comes in over a connection that is still open is served like any other request.
    return503OnClosing: false,
  })

  server.addHook('onSend', (_request, reply, _payload, done) => {
    // Its client will find another instance for the next request.
    if (draining) reply.header('Connection', 'close')
    done()
  })
  server.server.maxConnections = MOST_CONNECTIONS
  server.server.on('checkExpectation', answerExpectation(protection))
  logRequests(server, log)
  sendSecurityHeaders(server, protection)
  answerFailures(server, log, database.isUnavailable, {
    notFound: (request, reply) => (isForPeople(request) ? site.notFound(request, reply) : undefined),
    refused: (request, reply, refusal) => (isForPeople(request) ? site.refused(request, reply, refusal) : undefined),
  })
  acceptJsonOnly(server)
  if (config.corsOrigins.length > 0) await allowOrigins(server, config.corsOrigins)

  const [routes, filed] = [accountRoutes(portico), fileRoutes(portico)]
  const gate = { authenticate: createAuthenticate(portico.tokens, portico.findLiving), limits, addressOf }
  countTheRest(server, isOurs, gate)
  mount(server, routes, gate)
  await server.register(async (scope) => {
    acceptFiles(scope)
    mount(scope, filed, gate)
  })
  servePictures(server, database)
  const description = describeApi([...routes, ...filed], API_INFO, config.baseUrl)
  const described = await represent('application/json; charset=utf-8', JSON.stringify(description), {
    'Cache-Control': 'public, max-age=60, stale-while-revalidate=600',
  })
  server.get('/api/openapi.json', (request, reply) => sendRepresentation(request, reply, described))
  const site = await serveSite(server, portico, description)
  server.addHook('onClose', async () => site.close())
  const operations = new Map([...routes, ...filed].map(([method, path, operation]) => [`${method} ${path}`, operation]))
  await serveAccountPages(server, portico, operations, site)
  serveJwks(server, portico.keys)
  reportHealth(server, database, log, () => draining)
  if (config.mode === 'development' && portico.mailbox) showMailbox(server, portico.mailbox, portico.courier)

  return {
    server,
    drain() {
      draining = true
    },
    refresh: site.refresh,
  }
}

/** Browsers come to the API only on their way back from a provider; everything else there is for programs. */
function isForPeople(request: FastifyRequest): boolean {
  const path = routePath(request)
  return !isOurs(path) || (path.startsWith('/api/oauth/') && (request.headers.accept ?? '').includes('text/html'))
}

const API_INFO = {
  title: 'Account API',
  version: '1.0.0',
  description:
    'Accounts, sessions and profiles. Every answer has the same envelope: success, message, data or errors, timestamp ' +
    'and requestId. Signed-in calls carry the access token and the id of the session it was issued for.',
}
