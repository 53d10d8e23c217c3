import type { Socket } from 'node:net'
import type { Listener } from '../http/listener.ts'
import type { Snapshot } from '../metrics/aggregate.ts'

/**
 * The messages of a worker to the primary process. `opened`: the site is prepared. `listen`: the worker can serve
 * connections. `received` confirms a connection. `scrape` asks for the metrics of all workers.
 */
export type WorkerMessage =
  | 'opened'
  | 'listen'
  | 'received'
  | 'stop listening'
  | 'scrape'
  | { snapshot: Snapshot | undefined }
/** The messages of the primary process to a worker. A connection is sent together with its socket. */
export type PrimaryMessage =
  | 'connection'
  | 'stopped listening'
  | 'take a snapshot'
  | { listeningAt: string }
  | { scraped: string | undefined }

/** The listener of a worker: the primary process accepts the connections and sends them to this process. */
export function workerListener(): Listener {
  const started = Promise.withResolvers<string>()
  const stopped = Promise.withResolvers<void>()
  return {
    start(server) {
      process.on('message', (message: PrimaryMessage, socket: Socket | undefined) => {
        if (message === 'stopped listening') stopped.resolve()
        else if (typeof message === 'object' && 'listeningAt' in message) started.resolve(message.listeningAt)
        else if (message === 'connection') {
          sendToPrimary('received')
          // Node sends no socket when the client has closed the connection in the meantime.
          if (!socket) return
          // The option of `http.Server` with this name applies only to connections that the server itself accepts.
          socket.allowHalfOpen = true
          server.emit('connection', socket)
        }
      })
      // `http.Server` checks its timeouts of connections only after this event.
      server.emit('listening')
      sendToPrimary('listen')
      return started.promise
    },
    stop() {
      sendToPrimary('stop listening')
      return stopped.promise
    },
  }
}

/** Does nothing in a process that is no worker. */
export function sendToPrimary(message: WorkerMessage): void {
  process.send?.(message)
}
