import { connect, type Socket } from 'node:net'

export interface Request {
  method?: 'GET' | 'POST' | 'PATCH'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface HttpResponse {
  status: number
  body: string
}

/** The bytes of a request, serialized once: processor time of a generator is taken from the server that it measures. */
export function bytesOf({ method = 'GET', path, headers = {}, body = '' }: Request, host: string): Buffer {
  const all = { host, ...headers, ...(method === 'POST' && { 'content-length': String(Buffer.byteLength(body)) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

/** One keep-alive connection, with one request in flight at a time. */
export class Connection {
  readonly #socket: Socket
  #received: Buffer | undefined
  #waiting: PromiseWithResolvers<HttpResponse> | undefined

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    return new Connection(socket)
  }

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => this.#waiting?.reject(error))
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')))
  }

  send(request: Buffer): Promise<HttpResponse> {
    this.#waiting = Promise.withResolvers()
    this.#socket.write(request)
    return this.#waiting.promise
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer) {
    const received = this.#received ? Buffer.concat([this.#received, chunk]) : chunk
    const response = responseIn(received)
    this.#received = response ? undefined : received
    if (response) this.#waiting?.resolve(response)
  }
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/** The response, after its last byte. */
function responseIn(received: Buffer): HttpResponse | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = received.toString('latin1', 0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  const isComplete = length
    ? received.length >= end + 4 + Number(length)
    : received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
  if (!isComplete) return undefined
  return {
    status: Number(head.slice(9, 12)),
    get body() {
      return received.toString('utf8', end + 4)
    },
  }
}
