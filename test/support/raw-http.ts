import { connect } from 'node:net'
import type { ApiResponse } from './api.ts'

const MAX_WAIT_MS = 10_000

/**
 * Writes bytes to a connection of their own. Resolves when the service has responded and closed the connection; rejects
 * when the service does not.
 */
export async function sendRaw(service: { url: string }, ...parts: (string | Uint8Array)[]): Promise<ApiResponse> {
  return parse(await exchange(service, parts))
}

/** Like `sendRaw`, with all received bytes. With `halfClose` the client ends its side after sending its bytes. */
export function exchange(
  { url }: { url: string },
  parts: (string | Uint8Array)[],
  { halfClose = false } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
      if (halfClose) socket.end()
    })
    socket.setEncoding('utf8')
    socket.setTimeout(MAX_WAIT_MS, () => socket.destroy(new Error('the service left the connection open')))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}

/** The status codes of all responses in these bytes, in their order. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

/** A request head sent as it is, with lines that an HTTP client would not write. */
export function head(requestLine: string, ...lines: string[]): string {
  return `${[requestLine, ...lines].join('\r\n')}\r\n\r\n`
}

function parse(text: string): ApiResponse {
  const [top = '', rest = ''] = text.split('\r\n\r\n', 2)
  const [statusLine = '', ...lines] = top.split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(/:\s*(.*)/s, 2) as [string, string]))
  const body = headers.get('transfer-encoding') === 'chunked' ? joinChunks(rest) : rest
  const isJson = headers.get('content-type')?.includes('json')
  return { status: Number(statusLine.split(' ')[1]), headers, body: isJson ? JSON.parse(body) : body }
}

/** Every second line of a chunked body is the length of the next. */
function joinChunks(body: string): string {
  return body
    .split('\r\n')
    .filter((_, number) => number % 2 === 1)
    .join('')
}
