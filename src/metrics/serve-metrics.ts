import { ConfigError } from '../config/config-error.ts'
import { bearerToken } from '../http/credentials.ts'
import { createErrorHandler } from '../http/error-responses.ts'
import { securityHeaders } from '../http/headers.ts'
import { tcpListener } from '../http/listener.ts'
import { notFound, Refusal, unavailable } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import type { Routes } from '../http/routes.ts'
import { HttpServer } from '../http/server.ts'
import { isSameText } from '../lib/same-text.ts'
import type { Log } from '../logging/log.ts'

/** Returns the measurements of the whole instance in the text format of Prometheus. */
export type Scrape = () => Promise<string>

const PATH = '/metrics'

/** Serves /metrics for requests with the token. For any other request the path is unknown. */
export function serveMetrics(app: Routes, token: string, scrape: Scrape): void {
  app.route({
    method: 'GET',
    path: PATH,
    isHidden: true,
    guard({ headers }) {
      if (!isSameText(bearerToken(headers) ?? '', token)) throw new Refusal(notFound)
      return undefined
    },
    handle: (_request, reply) => send(reply, scrape),
  })
}

/** Serves /metrics on a listener of its own, without a token and without log lines. Returns its URL. */
export async function listenForScrapes(at: { host: string; port: number }, scrape: Scrape, log: Log): Promise<string> {
  const server = new HttpServer({
    defaultHeaders: securityHeaders({ https: false }),
    log: Object.assign(Object.create(log), { request: undefined }),
    ipOf: () => '',
    onNotFound: async () => {},
    onError: createErrorHandler(
      log,
      () => false,
      () => undefined,
    ),
  })
  server.get(PATH, (_request, reply) => send(reply, scrape))
  try {
    return (await server.listen(tcpListener(at))) + PATH
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError([`  METRICS_PORT and METRICS_HOST: cannot listen at ${at.host}:${at.port} (${code})`], [])
  }
}

async function send(reply: Reply, scrape: Scrape): Promise<Reply> {
  const text = await scrape().catch((cause) => {
    throw new Refusal(unavailable, { cause })
  })
  return reply.header('cache-control', 'no-store').type('text/plain; version=0.0.4; charset=utf-8').send(text)
}
