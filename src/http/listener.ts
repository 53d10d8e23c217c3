import { type AddressInfo, Server } from 'node:net'
import { setImmediate } from 'node:timers/promises'

// The listener is closed after this many iterations of the event loop, even if each of them has accepted a connection.
const MAX_ITERATIONS_BEFORE_CLOSE = 1000

/** Provides a server with connections. */
export interface Listener {
  /** Resolves to the URL at which connections are accepted. */
  start(server: Server): Promise<string>
  /** Resolves when the server has got its last connection. Every connection that a client could open is served. */
  stop(): Promise<void>
}

/** A listening socket of this process. */
export function tcpListener(at: { host: string; port: number }): Listener {
  let listening: Server | undefined
  return {
    async start(server) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      server.once('error', reject).listen(at, resolve)
      await promise
      server.off('error', reject)
      listening = server
      const { family, address, port } = server.address() as AddressInfo
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
    },
    async stop() {
      if (!listening) return
      await emptyAcceptQueue(listening)
      // `http.Server.close` would also destroy the idle connections at once. `net.Server.close` only stops listening.
      Server.prototype.close.call(listening)
    },
  }
}

/**
 * Resolves after an iteration of the event loop in which no connection was accepted. Node accepts one connection in
 * each iteration. When a listener is closed, the kernel resets the connections that are still in its accept queue.
 */
async function emptyAcceptQueue(server: Server): Promise<void> {
  let accepted = 0
  const count = () => {
    accepted += 1
  }
  server.on('connection', count)
  // The rest of the current iteration does not poll for connections when this function is called by an I/O event.
  await setImmediate()
  let before = -1
  for (let iteration = 0; before !== accepted && iteration < MAX_ITERATIONS_BEFORE_CLOSE; iteration++) {
    before = accepted
    await setImmediate()
  }
  server.off('connection', count)
}
