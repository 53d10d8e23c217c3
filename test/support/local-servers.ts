import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

// Below the ports that Linux gives to outgoing connections and to `listen(0)` (ip(7), ip_local_port_range). A port of
// that range may be taken before the server of a test binds it, or while that server is down.
const MIN_PORT = 10_000
const MAX_PORT = 32_000

/** A port that no server listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(MIN_PORT, MAX_PORT)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}

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
  const server = createHttpServer(handler)
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

export type CutMoment = 'before it arrives' | 'before its response arrives'

/**
 * A TCP proxy that leads to one port of this machine and then to another, like the address of a database that fails
 * over.
 */
export async function startTcpProxy(toPort: number) {
  let target = toPort
  let cut: { naming: string[]; when: CutMoment; done: () => void } | undefined
  const open = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(target, '127.0.0.1')
    let isNamed = false
    from.on('data', (data) => {
      if (data.includes('begin\0')) isNamed = false
      isNamed ||= cut?.naming.some((text) => data.includes(text)) ?? false
      if (!cut || !isNamed || !data.includes('commit\0')) return
      const { when, done } = cut
      cut = undefined
      to.unpipe(from)
      const end = () => {
        from.destroy()
        to.destroy()
        done()
      }
      if (when === 'before it arrives') end()
      else to.once('data', end).resume()
    })
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one)
      one
        .on('error', () => {})
        .on('close', () => {
          open.delete(one)
          other.destroy()
        })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port: number) {
      target = port
    },
    /** Stops forwarding and leaves the connections open: neither side gets an error. */
    hang() {
      for (const socket of open) socket.pause()
    },
    resume() {
      for (const socket of open) socket.resume()
    },
    /**
     * Ends the connection at the commit of the next transaction that sends one of these texts, so that a transaction
     * of a background task is not cut instead. Resolves then.
     */
    cutAtCommit(naming: string[], when: CutMoment): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      cut = { naming, when, done: resolve }
      return promise
    },
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
