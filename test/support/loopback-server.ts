import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { freePort } from './free-port.ts'

export interface LoopbackServer {
  url: string
  /** The number of connections so far. */
  connections(): number
  /** Closes the listening socket until `up` is called. */
  down(): Promise<void>
  up(): Promise<void>
  close(): Promise<void>
}

/** The server of another party, on this machine. */
export async function listenOnLoopback(handler: RequestListener): Promise<LoopbackServer> {
  const server = createServer(handler)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async () => {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  // Not `listen(0)`: the server is started again at this port after `down`.
  const port = await freePort()
  await listen(port)
  return {
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    down: stop,
    up: () => listen(port),
    close: stop,
  }
}

/**
 * Faults of a server: a wrong response, no response, a truncated response, an endless response, or a delayed response.
 */
export type Fault =
  | { status?: number; type?: string; body: string }
  | { seconds: number }
  | 'silence'
  | 'half'
  | 'endless'
  | undefined

/** Returns true when the fault has handled the request. */
export async function applyFault(response: ServerResponse, fault: Fault): Promise<boolean> {
  if (fault === 'half') response.writeHead(200, { 'content-type': 'application/json' }).write('{"access_token":"')
  if (fault === 'endless') writeEndlessly(response)
  if (fault === undefined || typeof fault === 'string') return fault !== undefined
  if ('seconds' in fault) {
    await setTimeout(fault.seconds * 1000)
    return false
  }
  const { status = 200, type = 'application/json', body } = fault
  response.writeHead(status, { 'content-type': type, ...(status === 302 && { location: '/elsewhere' }) }).end(body)
  return true
}

/** Writes as fast as the client reads. */
function writeEndlessly(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"padding":"')
  const chunk = 'x'.repeat(64 * 1024)
  const writeMore = () => {
    while (response.write(chunk));
  }
  response.on('drain', writeMore)
  writeMore()
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export function redirect(response: ServerResponse, to: string, query: Record<string, string>): void {
  const location = new URL(to)
  for (const [name, value] of Object.entries(query)) location.searchParams.set(name, value)
  response.writeHead(302, { location: location.href }).end()
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

export function cookieOf({ headers }: IncomingMessage, name: string): string {
  const pairs = (headers.cookie ?? '').split(/;\s*/).map((pair) => pair.split(/=(.*)/s, 2))
  return decodeURIComponent(pairs.find(([key]) => key === name)?.[1] ?? '')
}
