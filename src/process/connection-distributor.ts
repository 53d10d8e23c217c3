import type { Worker } from 'node:cluster'
import { createServer, type Socket } from 'node:net'
import { type Listener, tcpListener } from '../http/listener.ts'
import type { PrimaryMessage } from './worker-listener.ts'

/**
 * Accepts the connections of the service in the primary process, and sends them to the workers in turn. A worker gets
 * its next connection after it has confirmed the one before. A connection that a worker has not confirmed before its
 * end is sent to another worker, which reads it from the first byte: a worker confirms a connection before it reads
 * from it.
 *
 * The scheduler of `node:cluster` is similar. When the last worker stops, that scheduler resets the connections in the
 * accept queue of the kernel: a proxy has then already sent its request, and must not repeat a POST (RFC 9110, section
 * 9.2.2). When a worker is killed, the connection that was sent to it stays open without a response.
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
  readonly #unconfirmed = new Map<Worker, Socket>()
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
      this.#setFree(worker)
    })
  }

  /** The worker has confirmed its latest connection, and can get another one. */
  confirm(worker: Worker): void {
    // Closes the file descriptor of this process. The connection stays open in the worker.
    this.#unconfirmed.get(worker)?.destroy()
    this.#unconfirmed.delete(worker)
    if (this.#workers.has(worker)) this.#setFree(worker)
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
      this.#exclude(worker)
      send(worker, 'stopped listening')
    })
  }

  /** The worker has ended. */
  remove(worker: Worker): void {
    const unconfirmed = this.#unconfirmed.get(worker)
    this.#unconfirmed.delete(worker)
    if (unconfirmed) this.#waiting.unshift(unconfirmed)
    this.#exclude(worker)
    this.#send()
  }

  /** Without any worker, connections are refused: a proxy then tries another instance. */
  #exclude(worker: Worker): void {
    this.#free.delete(worker)
    this.#workers.delete(worker)
    if (this.#workers.size > 0) return
    // Has no effect after `release`, which has already closed the listener.
    this.#server.close()
    this.#url = undefined
    for (const socket of this.#waiting.splice(0)) socket.destroy()
    this.#onEmpty()
  }

  #setFree(worker: Worker): void {
    this.#free.add(worker)
    this.#send()
  }

  #send(): void {
    for (const worker of this.#free) {
      const socket = this.#waiting.shift()
      if (!socket) break
      this.#free.delete(worker)
      this.#unconfirmed.set(worker, socket)
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

/** An error means that the worker has ended: its `exit` event follows. */
function send(worker: Worker, message: PrimaryMessage, socket?: Socket): void {
  worker.send(message, socket, { keepOpen: true }, () => {})
}
