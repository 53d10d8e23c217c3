import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib'
import { boundedMemo } from '../lib/bounded-memo.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { PrebuiltResponse } from './prebuilt-response.ts'
import { parseQValues } from './q-values.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

/** Bytes that are ready to be sent: compressed and stamped once, when they are made. */
export interface Representation {
  modified: Date
  bodies: Record<Encoding, Body>
  /** In lower case, as all names of headers that are made ready. */
  headers: Headers
}

type Encoding = 'br' | 'gzip' | 'identity'
type Headers = Record<string, string>

interface Body {
  bytes: Buffer
  etag: string
  ok: PrebuiltResponse
  /** For whoever has the bytes already. */
  notModified: PrebuiltResponse
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzipCompress)
// Each encoder takes memory as soon as it is made, and one of the few threads that Node has for such work.
const inTurn = createConcurrencyLimit({ maxConcurrent: 2, maxQueued: Number.POSITIVE_INFINITY })
// Below this, compressing costs more than it saves.
const MIN_COMPRESSED_BYTES = 512
const ALREADY_COMPRESSED = /^(image\/(?!svg)|application\/pdf)/

/**
 * What has the same bytes as before is neither compressed nor dated again. The date is that of this process, not of an
 * author: it tells when the bytes changed, which they also do with the code that makes them.
 */
export async function represent(
  type: string,
  content: string | Buffer,
  headers: Headers,
  former?: Representation,
): Promise<Representation> {
  const plain = typeof content === 'string' ? Buffer.from(content) : content
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22)
  const notModified = former?.bodies.identity.etag === `"${hash}"` ? former : undefined
  const { identity, gzip, br } = notModified ? bytesOf(notModified) : await encodings(type, plain)
  // HTTP dates have whole seconds.
  const modified = notModified?.modified ?? new Date(Math.floor(Date.now() / 1000) * 1000)
  // A strong tag names exact bytes, so each encoding has its own.
  return {
    modified,
    headers,
    bodies: {
      identity: body(identity, `"${hash}"`),
      gzip: body(gzip, `"${hash}-gz"`, 'gzip'),
      br: body(br, `"${hash}-br"`, 'br'),
    },
  }

  function body(bytes: Buffer, etag: string, encoding?: Encoding): Body {
    const vary = headers.vary ? `${headers.vary}, Accept-Encoding` : 'Accept-Encoding'
    const headersOfSame = { ...headers, vary, etag, 'last-modified': modified.toUTCString() }
    const compressed = encoding && { 'content-encoding': encoding }
    const ok = new PrebuiltResponse(200, { ...headersOfSame, 'content-type': type, ...compressed }, bytes)
    return { bytes, etag, ok, notModified: new PrebuiltResponse(304, headersOfSame) }
  }
}

function bytesOf({ bodies: { identity, gzip, br } }: Representation): Record<Encoding, Buffer> {
  return { identity: identity.bytes, gzip: gzip.bytes, br: br.bytes }
}

async function encodings(type: string, identity: Buffer): Promise<Record<Encoding, Buffer>> {
  const isPlain = identity.length < MIN_COMPRESSED_BYTES || ALREADY_COMPRESSED.test(type)
  if (isPlain) return { identity, gzip: identity, br: identity }
  const [br, gzip] = await inTurn(() => compress(identity))
  return { identity, gzip, br }
}

async function compress(bytes: Buffer): Promise<[br: Buffer, gzip: Buffer]> {
  // With the usual window an encoder takes tens of megabytes, whatever little there is to look back on.
  const window = Math.min(Math.ceil(Math.log2(bytes.length + 16)), constants.BROTLI_DEFAULT_WINDOW)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: window }
  const br = await compressBrotli(bytes, { params })
  return [br, await compressGzip(bytes, { level: 9 })]
}

export function sendRepresentation({ headers }: Request, reply: Reply, { bodies, modified }: Representation): Reply {
  const isPlain = bodies.br.bytes === bodies.identity.bytes
  const body = bodies[isPlain ? 'identity' : encodingFor(headers['accept-encoding'])]
  return reply.sendPrebuilt(isFresh(headers, modified, body.etag) ? body.notModified : body.ok)
}

/** What the client prefers; where it does not care, what is smallest. */
const encodingFor = boundedMemo((accepted): Encoding => {
  const weights = parseQValues(accepted)
  const [best] = (['br', 'gzip'] as const)
    .map((encoding) => ({ encoding, weight: weights.get(encoding) ?? weights.get('*') ?? 0 }))
    .sort((a, b) => b.weight - a.weight)
  return best && best.weight > 0 && best.weight >= (weights.get('identity') ?? 0) ? best.encoding : 'identity'
})

/** RFC 9110: If-None-Match decides where it is sent, If-Modified-Since only without it. */
function isFresh(headers: Request['headers'], modified: Date, etag: string): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  if (tags === undefined) return since !== undefined && httpDate(since) >= modified.valueOf()
  return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/** NaN for what is no HTTP date, though it may be one elsewhere. */
function httpDate(text: string): number {
  const time = Date.parse(text)
  return new Date(time).toUTCString() === text ? time : Number.NaN
}
