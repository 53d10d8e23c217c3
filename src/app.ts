import { accountRoutes } from './account-routes.ts'
import { uncommonKeyword } from './accounts/password-policy.ts'
import { servePictures } from './accounts/pictures.ts'
import type { Config } from './config/config.ts'
import { describeContent } from './content/description.ts'
import { SHORT_CACHE } from './http/cache-policy.ts'
import { allowCorsOrigins, VARIES_BY_ORIGIN } from './http/cors.ts'
import { addDoctorHook } from './http/doctor-hook.ts'
import { createErrorHandler } from './http/error-responses.ts'
import { securityHeaders } from './http/headers.ts'
import { reportHealth } from './http/health.ts'
import { isProtocolError } from './http/message-head.ts'
import { mount } from './http/mount.ts'
import { describeApi } from './http/openapi.ts'
import type { Operation, OperationRoute } from './http/operation.ts'
import { refusePublicRequests } from './http/public-requests.ts'
import { countRequest } from './http/rate-limit.ts'
import { methodNotAllowed, type Refusal } from './http/refusal.ts'
import { type Representation, represent, sendRepresentation } from './http/representation.ts'
import { isApiPath, type Request } from './http/request.ts'
import type { Guard } from './http/routes.ts'
import { HttpServer } from './http/server.ts'
import { createTraceReader } from './http/trusted-trace.ts'
import { warnAboutUntrustedProxy } from './http/untrusted-proxy.ts'
import { createValidation } from './http/validation.ts'
import { LazyMap } from './lib/lazy-map.ts'
import { observeLogIns } from './metrics/log-ins.ts'
import { type Scrape, serveMetrics } from './metrics/serve-metrics.ts'
import { createAuthenticateOwner } from './owner/owner-access.ts'
import { ownerRoutes } from './owner/routes.ts'
import { serveOwnerApi } from './owner/serve-api.ts'
import { serveAccountPages } from './pages/account/serve.ts'
import { accountApiGuide } from './pages/api/account-api-guide.ts'
import { ACCOUNT_API_INFO } from './pages/api/account-api-info.ts'
import type { ApiDescriptions } from './pages/api/api-docs.ts'
import { errorCodes } from './pages/api/error-codes.ts'
import { isMissingSetting } from './pages/contributions-route.ts'
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

export interface App {
  server: HttpServer
  /** Prepares the public site, at the first call or the first request for a page. Resolves when it is prepared. */
  openSite(): Promise<void>
  /** Makes /readyz respond with 503, so that load balancers send no new traffic. */
  drain(): void
  /** Reads the content folder again. */
  refresh(): void
}

/** `scrape` returns the metrics of the whole instance. By default this process is the whole instance. */
export function createApp(portico: Portico, scrape: Scrape | undefined = portico.metrics?.scrape): App {
  const { config, database, log, observer, limits, addressOf, requestTally } = portico
  const allowsCors = config.corsOrigins.length > 0
  const defaultHeaders = {
    ...securityHeaders({ https: config.baseUrl.startsWith('https:') }),
    ...(allowsCors && VARIES_BY_ORIGIN),
  }
  let unreadyReason: string | undefined = 'starting'
  const routes = observer ? observeLogIns(accountRoutes(portico), observer) : accountRoutes(portico)
  const validation = createValidation([uncommonKeyword])
  const authenticate = createAuthenticate(portico.tokens, portico.findActiveSession)
  const authenticateOwner = createAuthenticateOwner(database, authenticate)
  const checks = { authenticate, authenticateOwner, limits, addressOf, validation }
  const server = new HttpServer({
    defaultHeaders,
    log,
    ipOf: portico.ipOf,
    traceOf: createTraceReader(config.trustedProxies),
    observer: {
      request(method, route, status, milliseconds) {
        requestTally.count(status >= 500 && !isMissingSetting(config, route, status))
        observer?.request(method, route, status, milliseconds)
      },
    },
    async onNotFound(request) {
      if (isApiPath(request.path)) await countRequest(request, undefined, checks)
    },
    // `site` registers its routes on this server, so it is created below. No request comes before `createApp` returns.
    onError: createErrorHandler(log, database.isUnavailable, (request, reply, refusal) =>
      wantsErrorPage(request, refusal) ? site.sendError(request, reply, refusal) : undefined,
    ),
  })
  if (!config.isModeSet) refusePublicRequests(server, log)
  // Before the notice about proxies, because the doctor forges X-Forwarded-For.
  addDoctorHook(server, portico.diagnosticTokens, portico.ipOf)
  if (config.mode === 'production') warnAboutUntrustedProxy(server, config.trustedProxies, log)
  guardDevPages(server)
  if (allowsCors) allowCorsOrigins(server, config.corsOrigins)

  mount(server, routes, checks)
  const routesOfOwners = ownerRoutes(portico)
  serveOwnerApi(server, routesOfOwners, portico, checks)
  servePictures(server, database)
  const descriptions: ApiDescriptions = new LazyMap(
    new Map([
      ['account-api', () => describeAccountApi(routes, config)],
      ['content-api', () => describeContent(config)],
    ]),
    (describe) => describe(),
  )
  let openApi: Promise<Representation> | undefined
  const rateLimitGuard: Guard = (request) => countRequest(request, undefined, checks)
  server.route({
    method: 'GET',
    path: '/api/openapi.json',
    guard: rateLimitGuard,
    async handle(request, reply) {
      openApi ??= representOpenApi(descriptions.get('account-api') ?? {})
      return sendRepresentation(request, reply, await openApi)
    },
  })
  const site = serveSite(server, portico, { descriptions, rateLimitGuard })
  server.onClose(site.close)
  portico.siteIdentity.setSource(site.settings)
  portico.contentStatus.setSource(site.report)
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
    async openSite() {
      await site.open()
      if (unreadyReason === 'starting') unreadyReason = undefined
    },
    drain() {
      unreadyReason = 'draining'
    },
    refresh: site.refresh,
  }
}

function describeAccountApi(routes: OperationRoute[], config: Config): object {
  return {
    ...describeApi(routes, ACCOUNT_API_INFO, config),
    'x-guide': accountApiGuide(config),
    'x-error-guide': errorCodes(),
  }
}

function representOpenApi(description: object): Promise<Representation> {
  return represent('application/json; charset=utf-8', JSON.stringify(description), {
    'cache-control': SHORT_CACHE,
  })
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
  if (kind === methodNotAllowed || isProtocolError(kind)) return false
  return !isApiPath(path) || (path.startsWith('/api/oauth/') && (headers.accept ?? '').includes('text/html'))
}
