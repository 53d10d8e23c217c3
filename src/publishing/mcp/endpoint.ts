import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { SiteReader } from './site-reader.ts'
import { createServer } from './tools.ts'

// The headers that the protocol defines, and those that it negotiates with.
const READ_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

// `Request` and `Response` are the globals of Node (Fetch Standard) in this file.
interface McpResponse {
  status: number
  type: string | undefined
  body: string
}

/**
 * Responds to one message of the Model Context Protocol: of the revision 2026-07-28, and of the earlier ones with
 * `initialize`. There are no sessions. Each message has a server of its own, which is closed with the response.
 */
export async function respondToMessage(
  site: SiteReader,
  headers: Record<string, string | string[] | undefined>,
  message: unknown,
  report: (error: unknown) => void,
): Promise<McpResponse> {
  const read = READ_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
  const request = new Request(`${site.frame.baseUrl}/mcp`, { method: 'POST', headers: Object.fromEntries(read) })
  const newServer = () => createServer(site, report)
  const isEarlier = await isLegacyRequest(request, message)
  const response = await (isEarlier ? respondToEarlier(request) : respondToNewest(request))
  return { status: response.status, type: response.headers.get('content-type') ?? undefined, body: response.body }

  async function respondToEarlier(request: Request) {
    const server = newServer()
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    try {
      await server.connect(transport)
      return await readResponse(await transport.handleRequest(request, { parsedBody: message }))
    } finally {
      await server.close()
    }
  }

  async function respondToNewest(request: Request) {
    // Subscriptions would be streams without an end. The content of a stateless server has no events.
    const handler = createMcpHandler(newServer, { legacy: 'reject', maxSubscriptions: 0 })
    try {
      return await readResponse(await handler.fetch(request, { parsedBody: message }))
    } finally {
      await handler.close()
    }
  }
}

async function readResponse(response: Response) {
  return { status: response.status, headers: response.headers, body: await response.text() }
}
