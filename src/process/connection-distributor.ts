import type { Worker } from 'node:cluster'
import { createServer, type Socket } from 'node:net'
import { type Listener, tcpListener } from '../http/listener.ts'
import type { PrimaryMessage } from './primary-listener.ts'

/**
 * Accepts the connections of the service in the primary process, and sends them to the workers in turn. A worker gets
 * its next connection after it has confirmed the one before, so a worker that is busy delays no connection.
 *
 * The scheduler of `node:cluster` does the same, but resets the connections in the accept queue of the kernel when the
 * last worker stops: a proxy has then already sent its request, and must not repeat a POST (RFC 9110, section 9.2.2).
 */
export class ConnectionDistributor {
  readonly #server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    this.#waiting.push(socket)
    this.#send()
  })
  readonly #listener: Listener
  readonly #workers = new Set<Worker>()
  /** The workers that have confirmed their latest connection. The first one has waited the longest. */
  readonly #free = new Set<Worker>()
  readonly #waiting: Socket[] = []
  #url: string | undefined
  #onEmpty = () => {}
  // `add` and `release` start and stop the listener: one at a time.
  #previous: Promise<unknown> = Promise.resolve()

  constructor(at: { host: string; port: number }) {
    this.#listener = tcpListener(at)
  }

  /** The worker gets connections from now on. Rejects when the service cannot listen at its address. */
  add(worker: Worker): Promise<void> {
    return this.#oneAtATime(async () => {
      this.#url ??= await this.#listener.start(this.#server)
      send(worker, { listeningAt: this.#url })
      this.#workers.add(worker)
      this.setFree(worker)
    })
  }

  /** The worker has confirmed its latest connection. */
  setFree(worker: Worker): void {
    if (!this.#workers.has(worker)) return
    this.#free.add(worker)
    this.#send()
  }

  /** The worker gets no further connection. The last worker first gets every connection that a client has opened. */
  release(worker: Worker): Promise<void> {
    return this.#oneAtATime(async () => {
      if (this.#workers.size === 1 && this.#workers.has(worker)) {
        await this.#listener.stop()
        this.#url = undefined
        const { promise: isEmpty, resolve } = Promise.withResolvers<void>()
        this.#onEmpty = resolve
        this.#send()
        await isEmpty
      }
      this.remove(worker)
      send(worker, 'stopped listening')
    })
  }

  /** The worker has ended. Without any worker, connections are refused: a proxy then tries another instance. */
  remove(worker: Worker): void {
    this.#free.delete(worker)
    if (!this.#workers.delete(worker) || this.#workers.size > 0) return
    this.#server.close()
    this.#url = undefined
    for (const socket of this.#waiting.splice(0)) socket.destroy()
    this.#onEmpty()
  }

  #send(): void {
    for (const worker of this.#free) {
      const socket = this.#waiting.shift()
      if (!socket) break
      this.#free.delete(worker)
      send(worker, 'connection', socket)
    }
    if (this.#waiting.length === 0) this.#onEmpty()
  }

  #oneAtATime<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#previous.then(task)
    this.#previous = result.catch(() => {})
    return result
  }
}

/** An error means that the worker has ended. Its `exit` event follows. */
function send(worker: Worker, message: PrimaryMessage, socket?: Socket): void {
  worker.send(message, socket, (error) => error && socket?.destroy())
}
