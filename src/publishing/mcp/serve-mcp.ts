import { type BodyParser, jsonParser } from '../../http/body.ts'
import { methodNotAllowed, notFound, Refusal } from '../../http/refusal.ts'
import type { Reply } from '../../http/reply.ts'
import type { Request } from '../../http/request.ts'
import type { Guard, Routes } from '../../http/routes.ts'
import type { Log } from '../../logging/log.ts'
import type { ApiDescriptions } from '../../pages/api/api-docs.ts'
import type { Publisher } from '../publisher.ts'
import { createSiteReader } from './site-reader.ts'

const MCP_PATH = '/mcp'
// The error codes of JSON-RPC 2.0, section 5.1.
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600

interface McpParts {
  /** Resolves to the publisher. In development, after the running rebuild. */
  upToDate(): Promise<Publisher>
  /** Counts the request in a rate limit. */
  rateLimitGuard: Guard
  descriptions: ApiDescriptions
  config: { baseUrl: string; corsOrigins: string[] }
  log: Log
}

/** A body that is not a JSON document within the limits. */
class UnreadableBody {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

const jsonRpc: BodyParser = {
  ...jsonParser,
  parse(raw, contentType) {
    try {
      return jsonParser.parse(raw, contentType)
    } catch (error) {
      if (error instanceof Refusal) return new UnreadableBody(error.errors?.[0]?.message ?? error.message)
      throw error
    }
  },
}

/**
 * Serves the content of the site with the Model Context Protocol (streamable HTTP, without sessions and without
 * streams). The SDK is loaded with the first message: a site without agents does not pay for it.
 */
export function serveMcp(app: Routes, { upToDate, rateLimitGuard, descriptions, config, log }: McpParts): void {
  const origins = new Set([new URL(config.baseUrl).origin, ...config.corsOrigins])
  const guard: Guard = (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!isKnownOrigin(request)) return sendError(reply, INVALID_REQUEST, 'Pages of this origin may not call', 403)
    return rateLimitGuard(request, reply)
  }
  app.route({ method: 'POST', path: MCP_PATH, guard, bodyParsers: [jsonRpc], handle: respond })
  // GET would open a stream of the server, and DELETE would end a session (MCP 2025-11-25, "Streamable HTTP").
  for (const method of ['GET', 'DELETE'] as const)
    app.route({ method, path: MCP_PATH, guard, isSafe: false, isHidden: true, handle: refuseMethod })

  /**
   * Against DNS rebinding, by which a page of another site reaches a server of the reader's network. `Host` proves
   * nothing here: it is the name that was rebound. Programs send no `Origin`.
   */
  function isKnownOrigin({ headers: { origin } }: Request): boolean {
    return origin === undefined || origins.has(origin)
  }

  async function enabledPublisher(): Promise<Publisher> {
    const publisher = await upToDate()
    if (!publisher.frame().site.mcp) throw new Refusal(notFound)
    return publisher
  }

  async function refuseMethod(): Promise<never> {
    await enabledPublisher()
    throw new Refusal(methodNotAllowed, { headers: { Allow: 'POST' } })
  }

  async function respond({ body, headers, logFields }: Request, reply: Reply) {
    const publisher = await enabledPublisher()
    if (body === undefined) return sendError(reply, PARSE_ERROR, 'The request has no body')
    if (body instanceof UnreadableBody) return sendError(reply, PARSE_ERROR, body.message)
    // A batch would be many calls that the rate limit counts as one. The protocol has none since 2025-06-18.
    if (Array.isArray(body)) return sendError(reply, INVALID_REQUEST, 'Batches are not supported')
    const { respondToMessage } = await import('./endpoint.ts')
    const site = createSiteReader(publisher, descriptions)
    const report = (error: unknown) => log.error({ ...logFields, err: error }, 'a tool of the MCP server has failed')
    const { status, type, body: text } = await respondToMessage(site, headers, body, report)
    if (type) reply.type(type)
    return reply.code(status).send(text)
  }
}

function sendError(reply: Reply, code: number, message: string, status = 400): Reply {
  return reply.code(status).send({ jsonrpc: '2.0', id: null, error: { code, message } })
}
