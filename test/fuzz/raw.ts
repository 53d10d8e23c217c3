import { connect } from 'node:net'
import fc from 'fast-check'
import { NASTY_TEXTS } from './nasty.ts'
import type { FuzzResponse } from './send.ts'

const SILENCE_MS = 250
const MAX_WAIT_MS = 10_000

/** Bytes that no HTTP client would write, each a character of the text. */
export function rawBytes(paths: string[]): fc.Arbitrary<string> {
  const bytes = fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    maxLength: 60,
  })
  const narrow = NASTY_TEXTS.filter((text) => /^[^\u0100-\uffff]*$/.test(text))
  const text = fc.oneof(fc.constantFrom(...narrow), bytes)
  const method = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('GET', 'POST', 'DELETE', 'OPTIONS') },
    fc.constantFrom(...METHODS),
    text,
  )
  const target = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...paths) }, fc.constantFrom(...TARGETS), text)
  const version = fc.oneof({ weight: 9, arbitrary: fc.constant('HTTP/1.1') }, fc.constantFrom(...VERSIONS), text)
  const line = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...HEADERS) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('Host', 'X-Session-Id', 'Content-Type', 'Cookie'), text)
        .map(([name, value]) => `${name}: ${value}`),
    },
    { weight: 1, arbitrary: text },
  )
  const lineEnd = fc.oneof(
    { weight: 20, arbitrary: fc.constant('\r\n') },
    fc.constantFrom('\n', '\r', '\r\n\r\n', '\0'),
  )
  const body = fc.oneof(fc.constantFrom(...BODIES), bytes)
  const request = fc
    .tuple(method, target, version, fc.array(line, { maxLength: 6 }), lineEnd, body)
    .map(([verb, to, as, lines, end, rest]) => [`${verb} ${to} ${as}`, ...lines, '', rest].join(end))
  return fc.oneof({ weight: 8, arbitrary: request }, { weight: 1, arbitrary: bytes })
}

const METHODS = ['get', 'FOO', 'PRI', 'CONNECT', 'M-SEARCH', 'PURGE', 'SOURCE', 'PUT', 'PATCH', 'TRACE', 'QUERY', '']
const TARGETS = [
  '*',
  '',
  '//',
  'http://evil.example/api/log-in',
  '/api/%',
  '/%ff',
  '/a b',
  '/#',
  '/?',
  '?',
  '/..//../x',
  `/${'a'.repeat(70_000)}`,
]
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/9.9', 'http/1.1', 'HTTP/1.1 ', 'RTSP/1.0', '']
const HEADERS = [
  ...[
    'Host: x',
    'Host: x',
    'Host: y',
    'Host:',
    'Host : x',
    ' Host: x',
    'Connection: close',
    'Connection: keep-alive, upgrade',
  ],
  ...[
    'Content-Type: application/json',
    'Content-Length: 2',
    'Content-Length: 0',
    'Content-Length: -1',
    'Content-Length: 1e3',
  ],
  ...['Content-Length: 99999999999999999999', 'Content-Length: 2, 2', 'Content-Length: +2', 'Content-Length: 5'],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding : chunked',
  ],
  ...[
    'Expect: 100-continue',
    'Expect: the unexpected',
    'Upgrade: websocket',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABk',
    'TE: trailers',
  ],
  ...[
    'X-Session-Id: a',
    'X-Session-Id: b',
    'Authorization: Bearer a',
    'Authorization: Bearer b',
    'Cookie: a=b',
    ':path: /',
    'X-Empty:',
  ],
  ...[
    'X: a\r\n folded',
    'X\0: a',
    'X: a\0b',
    'Ünïcode: x',
    `X: ${'a'.repeat(140_000)}`,
    '\tX: a',
    'Range: bytes=0-',
    'Trailer: Host',
  ],
]
const BODIES = [
  ...[
    '',
    '{}',
    '{"',
    '2\r\n{}\r\n0\r\n\r\n',
    '2\r\n{}\r\n',
    'zz\r\n{}\r\n0\r\n\r\n',
    '-1\r\n',
    'ffffffffffffffff1\r\n{}',
  ],
  ...['2;ext=1\r\n{}\r\n0\r\nTrailer: x\r\n\r\n', '0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ...['{}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(5)],
]

/**
 * Writes the bytes, and ends its side after a pause without data. Returns all responses, of which there may be none or
 * several. Fails when the service neither responds nor closes the connection.
 */
export async function sendRaw(url: string, bytes: string): Promise<FuzzResponse[]> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
  const chunks: Uint8Array[] = []
  const closed = Promise.withResolvers<void>()
  const limit = setTimeout(() => closed.reject(new Error('the service left the connection open')), MAX_WAIT_MS)
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
  // A service that has responded and closes while the client still sends resets the connection: its responses count.
  socket.on('error', () => {})
  socket.on('close', closed.resolve)
  socket.once('end', () => socket.end())
  socket.setTimeout(SILENCE_MS, () => socket.end())
  socket.write(Buffer.from(bytes, 'latin1'))
  await closed.promise.finally(() => {
    clearTimeout(limit)
    socket.destroy()
  })
  return responsesIn(Buffer.concat(chunks))
}

/** Parses the responses on a connection. Bytes that are no HTTP, or truncated, are a fault. */
function responsesIn(read: Buffer): FuzzResponse[] {
  const responses: FuzzResponse[] = []
  let rest = read
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
    if (end < 0 || !status) throw new Error(`the response is not HTTP: ${rest.subarray(0, 80)}`)
    const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(/:\s*(.*)/s, 2)))
    rest = rest.subarray(end + 4)
    if (status === 100) continue
    const hasBody = status !== 204 && status !== 304
    const length = hasBody ? Number(headers['content-length'] ?? rest.length) : 0
    responses.push({ status, headers, body: rest.subarray(0, length) })
    rest = rest.subarray(length)
  }
  return responses
}
