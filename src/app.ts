import { beginPasskeyLogIn, beginPasskeyProof } from './accounts/begin-passkey.ts'
import { changeEmail } from './accounts/change-email.ts'
import { changePassword } from './accounts/change-password.ts'
import { changeUsername } from './accounts/change-username.ts'
import { checkUsername } from './accounts/check-username.ts'
import { confirmEmailChange } from './accounts/confirm-email-change.ts'
import { createAccount } from './accounts/create-account.ts'
import { deleteAccount } from './accounts/delete-account.ts'
import { forgotPassword } from './accounts/forgot-password.ts'
import { listSecurityEvents } from './accounts/list-security-events.ts'
import { logIn } from './accounts/log-in.ts'
import { logInCode } from './accounts/log-in-code.ts'
import { logInCodeVerify } from './accounts/log-in-code-verify.ts'
import { logInSecondFactor } from './accounts/log-in-second-factor.ts'
import { logInWithPasskey } from './accounts/log-in-with-passkey.ts'
import { mailReauthenticationCode } from './accounts/mail-reauthentication-code.ts'
import { uncommonKeyword } from './accounts/password-policy.ts'
import { servePictures } from './accounts/pictures.ts'
import { readProfile } from './accounts/read-profile.ts'
import { reauthenticate } from './accounts/reauthenticate.ts'
import { removeAvatar } from './accounts/remove-avatar.ts'
import { resendVerification } from './accounts/resend-verification.ts'
import { resetPassword } from './accounts/reset-password.ts'
import { setAvatar } from './accounts/set-avatar.ts'
import { undoEmailChange } from './accounts/undo-email-change.ts'
import { updateProfile } from './accounts/update-profile.ts'
import { uploadPicture } from './accounts/upload-picture.ts'
import { userData } from './accounts/user-data.ts'
import { verifyEmail } from './accounts/verify-email.ts'
import { addAuthenticatorApp } from './factors/add-authenticator-app.ts'
import { addPasskey } from './factors/add-passkey.ts'
import { beginPasskeyRegistration } from './factors/begin-passkey-registration.ts'
import { changeSecondFactor } from './factors/change-second-factor.ts'
import { confirmAuthenticatorApp } from './factors/confirm-authenticator-app.ts'
import { forgetRememberedBrowsers } from './factors/forget-remembered-browsers.ts'
import { listPasskeys } from './factors/list-passkeys.ts'
import { listRememberedBrowsers } from './factors/list-remembered-browsers.ts'
import { readSecondFactor } from './factors/read-second-factor.ts'
import { removeAuthenticatorApp } from './factors/remove-authenticator-app.ts'
import { removePasskey } from './factors/remove-passkey.ts'
import { removePassword } from './factors/remove-password.ts'
import { renamePasskey } from './factors/rename-passkey.ts'
import { replaceRecoveryCodes } from './factors/replace-recovery-codes.ts'
import { answerDoctor } from './http/answer-doctor.ts'
import { allowCorsOrigins, VARIES_BY_ORIGIN } from './http/cors.ts'
import { createErrorHandler } from './http/error-responses.ts'
import { securityHeaders } from './http/headers.ts'
import { reportHealth } from './http/health.ts'
import { isProtocolFault } from './http/message-head.ts'
import { countByAddress, mount } from './http/mount.ts'
import { describeApi } from './http/openapi.ts'
import type { Operation, OperationRoute } from './http/operation.ts'
import { refusePublicRequests } from './http/public-requests.ts'
import { methodNotAllowed, type Refusal } from './http/refusal.ts'
import { represent, sendRepresentation } from './http/representation.ts'
import { isApiPath, type Request } from './http/request.ts'
import type { Guard } from './http/routes.ts'
import { HttpServer } from './http/server.ts'
import { createTraceReader } from './http/trusted-trace.ts'
import { noticeUntrustedProxy } from './http/untrusted-proxy.ts'
import { createValidation } from './http/validation.ts'
import { observeLogIns } from './metrics/log-ins.ts'
import { type Scrape, serveMetrics } from './metrics/serve-metrics.ts'
import { finishSignIn } from './oauth/finish-sign-in.ts'
import { linkAccount } from './oauth/link-account.ts'
import { listLinkedAccounts } from './oauth/list-linked-accounts.ts'
import { startSignIn } from './oauth/start-sign-in.ts'
import { unlinkAccount } from './oauth/unlink-account.ts'
import { createAuthenticateOwner } from './owner/owner-access.ts'
import { ownerRoutes } from './owner/routes.ts'
import { serveOwnerApi } from './owner/serve-api.ts'
import { serveAccountPages } from './pages/account/serve.ts'
import { accountApiGuide } from './pages/api/account-api-guide.ts'
import { ACCOUNT_API_INFO } from './pages/api/account-api-info.ts'
import { errorCodes } from './pages/api/error-codes.ts'
import { showDesign } from './pages/design-page.ts'
import { guardDevPages } from './pages/dev-guard.ts'
import { showMailbox } from './pages/mailbox.ts'
import { showMails } from './pages/mails-page.ts'
import { serveOwnerPages } from './pages/owner/serve.ts'
import { serveScripts } from './pages/scripts.ts'
import type { Portico } from './portico.ts'
import { serveSite } from './publishing/site.ts'
import { createAuthenticate } from './sessions/authenticate.ts'
import { serveJwks } from './sessions/jwks.ts'
import { listSessions } from './sessions/list.ts'
import { logOut } from './sessions/log-out.ts'
import { refreshToken } from './sessions/refresh.ts'
import { revokeSession } from './sessions/revoke.ts'
import { revokeOtherSessions } from './sessions/revoke-others.ts'

export const accountRoutes = (portico: Portico): OperationRoute[] => [
  ['POST', '/api/create-account', createAccount(portico)],
  ['POST', '/api/email-verification', verifyEmail(portico)],
  ['POST', '/api/email-verification/resend', resendVerification(portico)],
  ['POST', '/api/log-in', logIn(portico)],
  ['POST', '/api/log-in/second-factor', logInSecondFactor(portico)],
  ['POST', '/api/log-in/passkey/options', beginPasskeyLogIn(portico)],
  ['POST', '/api/log-in/passkey', logInWithPasskey(portico)],
  ['POST', '/api/log-in/code', logInCode(portico)],
  ['POST', '/api/log-in/code/verify', logInCodeVerify(portico)],
  ['POST', '/api/auth/refresh-token', refreshToken(portico)],
  ['POST', '/api/auth/logout', logOut(portico)],
  ['GET', '/api/oauth/codehost/start', startSignIn('codehost', portico)],
  ['GET', '/api/oauth/codehost', finishSignIn('codehost', portico)],
  ['GET', '/api/oauth/idp/start', startSignIn('idp', portico)],
  ['GET', '/api/oauth/idp', finishSignIn('idp', portico)],
  ['GET', '/api/linked-accounts', listLinkedAccounts(portico)],
  ['POST', '/api/linked-accounts', linkAccount(portico)],
  ['DELETE', '/api/linked-accounts', unlinkAccount(portico)],
  ['POST', '/api/forgot-password', forgotPassword(portico)],
  ['POST', '/api/reset-password', resetPassword(portico)],
  ['POST', '/api/change-password', changePassword(portico)],
  ['DELETE', '/api/password', removePassword(portico)],
  ['GET', '/api/passkeys', listPasskeys(portico)],
  ['POST', '/api/passkeys/registration-options', beginPasskeyRegistration(portico)],
  ['POST', '/api/passkeys', addPasskey(portico)],
  ['POST', '/api/passkeys/rename', renamePasskey(portico)],
  ['DELETE', '/api/passkeys', removePasskey(portico)],
  ['POST', '/api/reauthenticate', reauthenticate(portico)],
  ['POST', '/api/reauthenticate/code', mailReauthenticationCode(portico)],
  ['GET', '/api/second-factor', readSecondFactor(portico)],
  ['POST', '/api/second-factor', changeSecondFactor(portico)],
  ['POST', '/api/authenticator-app', addAuthenticatorApp(portico)],
  ['POST', '/api/authenticator-app/confirm', confirmAuthenticatorApp(portico)],
  ['DELETE', '/api/authenticator-app', removeAuthenticatorApp(portico)],
  ['POST', '/api/recovery-codes', replaceRecoveryCodes(portico)],
  ['GET', '/api/remembered-browsers', listRememberedBrowsers(portico)],
  ['DELETE', '/api/remembered-browsers', forgetRememberedBrowsers(portico)],
  ['POST', '/api/reauthenticate/passkey-options', beginPasskeyProof(portico)],
  ['POST', '/api/change-email', changeEmail(portico)],
  ['POST', '/api/change-email/confirm', confirmEmailChange(portico)],
  ['POST', '/api/change-email/undo', undoEmailChange(portico)],
  ['GET', '/api/user-details', readProfile()],
  ['POST', '/api/user-details', updateProfile(portico)],
  ['GET', '/api/change-username', checkUsername(portico)],
  ['POST', '/api/change-username', changeUsername(portico)],
  ['POST', '/api/upload-avatar', setAvatar(portico)],
  ['DELETE', '/api/upload-avatar', removeAvatar(portico)],
  ['GET', '/api/user-data', userData(portico)],
  ['DELETE', '/api/delete-user', deleteAccount(portico)],
  ['GET', '/api/sessions', listSessions(portico)],
  ['DELETE', '/api/sessions', revokeSession(portico)],
  ['DELETE', '/api/sessions/others', revokeOtherSessions(portico)],
  ['GET', '/api/security-events', listSecurityEvents(portico)],
  ['POST', '/api/uploads', uploadPicture(portico)],
]

export interface App {
  server: HttpServer
  /** Resolves when the public site is prepared. */
  opened: Promise<unknown>
  /** Makes /readyz respond with 503, so that load balancers send no new traffic. */
  drain(): void
  /** Reads the content folder again. */
  refresh(): void
}

/** `scrape` returns the metrics of the instance. Those of this process are all of them, unless there are other workers. */
export function createApp(portico: Portico, scrape: Scrape | undefined = portico.metrics?.scrape): App {
  const { config, database, log, observer, limits, addressOf } = portico
  const allowsCors = config.corsOrigins.length > 0
  const defaultHeaders = {
    ...securityHeaders({ https: config.baseUrl.startsWith('https:') }),
    ...(allowsCors && VARIES_BY_ORIGIN),
  }
  let unreadyReason: string | undefined = 'starting'
  const server = new HttpServer({
    defaultHeaders,
    log,
    ipOf: portico.ipOf,
    traceOf: createTraceReader(config.trustedProxies),
    observer,
    onNotFound: async (request, reply) => isApiPath(request.path) && countByAddress(request, reply, checks),
    onError: createErrorHandler(log, database.isUnavailable, (request, reply, refusal) =>
      wantsErrorPage(request, refusal) ? site.refused(request, reply, refusal) : undefined,
    ),
  })
  if (!config.isModeSet) refusePublicRequests(server, log)
  // Before the notice about proxies, because the doctor forges X-Forwarded-For.
  answerDoctor(server, portico.doctorPass, portico.ipOf)
  if (config.mode === 'production') noticeUntrustedProxy(server, config.trustedProxies, log)
  guardDevPages(server)
  if (allowsCors) allowCorsOrigins(server, config.corsOrigins)

  const routes = observer ? observeLogIns(accountRoutes(portico), observer) : accountRoutes(portico)
  const validation = createValidation([uncommonKeyword])
  const authenticate = createAuthenticate(portico.tokens, portico.findActiveSession)
  const authenticateOwner = createAuthenticateOwner(database, authenticate)
  const checks = { authenticate, authenticateOwner, limits, addressOf, validation }
  mount(server, routes, checks)
  const routesOfOwners = ownerRoutes(portico)
  serveOwnerApi(server, routesOfOwners, portico, checks)
  servePictures(server, database)
  const openApi = {
    ...describeApi(routes, ACCOUNT_API_INFO, config),
    'x-guide': accountApiGuide(config),
    'x-error-guide': errorCodes(),
  }
  const openApiResponse = represent('application/json; charset=utf-8', JSON.stringify(openApi), {
    'cache-control': 'public, max-age=60, stale-while-revalidate=600',
  })
  const counted: Guard = (request, reply) => countByAddress(request, reply, checks)
  server.route({
    method: 'GET',
    path: '/api/openapi.json',
    guard: counted,
    handle: async (request, reply) => sendRepresentation(request, reply, await openApiResponse),
  })
  const site = serveSite(server, portico, { accountApi: openApi, counted })
  server.onClose(site.close)
  portico.siteIdentity.follow(site.settings)
  site.opened.then(
    () => {
      if (unreadyReason === 'starting') unreadyReason = undefined
    },
    () => {},
  )
  serveAccountPages(server, portico, { operations: operationsByCall(routes), validation, frame: site.frame })
  serveOwnerPages(server, portico, { operations: operationsByCall(routesOfOwners), validation, frame: site.frame })
  serveJwks(server, portico.keys)
  if (scrape && config.metrics?.token) serveMetrics(server, config.metrics.token, scrape)
  reportHealth(server, database, log, () => unreadyReason)
  serveScripts(server)
  if (config.mode === 'development') {
    showDesign(server, site.frame)
    showMails(server, portico.messages, site.frame)
  }
  if (config.mode === 'development' && portico.mailbox)
    showMailbox(server, portico.mailbox, portico.deliveryWorker, site.frame)

  return {
    server,
    opened: site.opened,
    drain() {
      unreadyReason = 'draining'
    },
    refresh: site.refresh,
  }
}

/** The operations by method and path, such as `POST /api/log-in`. */
function operationsByCall(routes: OperationRoute[]): Map<string, Operation> {
  return new Map(routes.map(([method, path, operation]) => [`${method} ${path}`, operation]))
}

/**
 * Whether an error is rendered as an HTML page. API paths respond with JSON, except the callback of a sign-in provider,
 * to which browsers navigate. 405 and errors of the protocol, which browsers do not cause, are JSON on every path.
 */
function wantsErrorPage({ path, headers }: Request, { kind }: Refusal): boolean {
  if (kind === methodNotAllowed || isProtocolFault(kind)) return false
  return !isApiPath(path) || (path.startsWith('/api/oauth/') && (headers.accept ?? '').includes('text/html'))
}
