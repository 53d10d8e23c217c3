import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip as gzipCompress,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib'
import { boundedMemo } from '../lib/bounded-memo.ts'
import { shortDigest } from '../lib/short-digest.ts'
import { createConcurrencyLimit } from './concurrency-limit.ts'
import { PrebuiltResponse } from './prebuilt-response.ts'
import { parseQValues } from './q-values.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

const ENCODINGS = ['identity', 'gzip', 'br'] as const
type Encoding = (typeof ENCODINGS)[number]
type ResponseHeaders = Record<string, string>
/** The content in each encoding that was already computed. Representations of the same content share it. */
type EncodedBytes = { identity: Buffer } & Partial<Record<Encoding, Buffer>>

interface Body {
  bytes: Buffer
  etag: string
  ok: PrebuiltResponse
  /** The 304 response, for a client whose copy has this ETag. */
  notModified: PrebuiltResponse
}

const ETAG_ENDINGS: Record<Encoding, string> = { identity: '', gzip: '-gz', br: '-br' }
const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzipCompress)
// The gzip and the Brotli encoder of a body each take a thread of libuv's pool (four by default) for a chunk at a time.
// An encoder allocates its memory for the first chunk, and keeps it while it waits for a thread again: 40 bodies of
// 800 kB at once took 1.5 GB.
const withCompressionSlot = createConcurrencyLimit({ maxConcurrent: 2, maxQueued: Number.POSITIVE_INFINITY })
// Compressing a smaller body costs more than it saves.
const MIN_COMPRESSED_BYTES = 512
// Brotli needs 2 ms for 48 KiB of usual text, 30 ms for the worst input. On a busy machine, a job of libuv's pool may
// begin later than compression on the main thread would end.
const MAX_MAIN_THREAD_BYTES = 48 * 1024
// The default of zlib.
const MAX_CHUNK_BYTES = 16 * 1024
const ALREADY_COMPRESSED = /^(image\/(?!svg)|application\/pdf)/

/**
 * The content of a resource in one media type (RFC 9110, section 3.2), with its prebuilt responses: 200 and 304 in each
 * content coding. They are made at their first use, not with each response.
 */
export class Representation {
  readonly #type: string
  /** Names are in lower case. */
  readonly headers: ResponseHeaders
  readonly bytes: EncodedBytes
  /** The hash of the content, in the ETag of each encoding. */
  readonly hash: string
  readonly modified: Date
  readonly #bodies: Partial<Record<Encoding, Body>> = {}
  /** The memory of its content in bytes. It may grow at the first call of `body` for an encoding. */
  size: number

  constructor(type: string, headers: ResponseHeaders, bytes: EncodedBytes, validators: Validators) {
    this.#type = type
    this.headers = headers
    this.bytes = bytes
    this.hash = validators.hash
    this.modified = validators.modified
    this.size = this.#measure()
  }

  get isUncompressed(): boolean {
    return this.bytes.br === this.bytes.identity
  }

  /** The body in an encoding. The identity encoding for content that is not compressed. */
  body(accepted: Encoding): Body {
    const encoding = this.isUncompressed ? 'identity' : accepted
    return this.#bodies[encoding] ?? this.#addBody(encoding)
  }

  /**
   * Compresses the content in all encodings ahead of their first use. The prebuilt responses are made when they are
   * used: a thousand pages have six thousand of them, each of several objects that the garbage collector would mark.
   */
  compress(): void {
    for (const encoding of ENCODINGS) this.#bytesIn(encoding)
    this.size = this.#measure()
  }

  #bytesIn(encoding: Encoding): Buffer {
    this.bytes[encoding] ??= compressSync[encoding](this.bytes.identity)
    return this.bytes[encoding]
  }

  /** Reserves twice the content size, so that building the bodies rarely changes it. */
  #measure(): number {
    const bytes = [...new Set(Object.values(this.bytes))].reduce((sum, { length }) => sum + length, 0)
    const copies = Object.values(this.#bodies).reduce((sum, { ok }) => sum + ok.copiedBytes, 0)
    return Math.max(2 * this.bytes.identity.length, bytes + copies)
  }

  /**
   * Makes the body in an encoding, and measures the memory again. `bytes` is shared with the representations of the
   * same content in other publications, so that it is compressed in this encoding once for all of them.
   */
  #addBody(encoding: Encoding): Body {
    const { hash, modified } = this
    const bytes = this.#bytesIn(encoding)
    // A strong ETag identifies exact bytes, so each encoding has its own (RFC 9110, section 8.8.3).
    const etag = `"${hash}${ETAG_ENDINGS[encoding]}"`
    const vary = this.headers.vary ? `${this.headers.vary}, Accept-Encoding` : 'Accept-Encoding'
    const commonHeaders = { ...this.headers, vary, etag, 'last-modified': modified.toUTCString() }
    const contentHeaders = {
      'content-type': this.#type,
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    }
    const ok = new PrebuiltResponse(200, { ...commonHeaders, ...contentHeaders }, bytes)
    const body = { bytes, etag, ok, notModified: new PrebuiltResponse(304, commonHeaders) }
    this.#bodies[encoding] = body
    this.size = this.#measure()
    return body
  }
}

export type Validators = Pick<Representation, 'hash' | 'modified'>

/**
 * Makes the representation of a content. If `previous` has the same content, its Last-Modified date is used again, and
 * its compressed bytes if there are any. The date is the time at which this process first made these bytes. It is not a
 * date of the author, because the bytes also change with the code that renders them.
 */
export async function represent(
  type: string,
  content: string | Buffer,
  headers: ResponseHeaders,
  previous?: Validators & { bytes?: EncodedBytes },
): Promise<Representation> {
  const plain = typeof content === 'string' ? Buffer.from(content) : content
  const hash = shortDigest(createHash('sha256').update(plain))
  const unchanged = previous?.hash === hash ? previous : undefined
  const bytes = unchanged?.bytes ?? (await encodedAhead(type, plain))
  // HTTP dates have a resolution of one second (RFC 9110, section 5.6.7).
  const modified = unchanged?.modified ?? new Date(Math.floor(Date.now() / 1000) * 1000)
  return new Representation(type, headers, bytes, { hash, modified })
}

/** The encodings that are made before the first use: those of a large body take too long for the main thread. */
async function encodedAhead(type: string, identity: Buffer): Promise<EncodedBytes> {
  const isUncompressed = identity.length < MIN_COMPRESSED_BYTES || ALREADY_COMPRESSED.test(type)
  if (isUncompressed) return { identity, gzip: identity, br: identity }
  if (identity.length <= MAX_MAIN_THREAD_BYTES) return { identity }
  return withCompressionSlot(async () => {
    const [br, gzip] = await Promise.all([
      compressBrotli(identity, brotliOptions(identity)),
      compressGzip(identity, gzipOptions(identity)),
    ])
    return { identity, gzip: exactCopy(gzip), br: exactCopy(br) }
  })
}

const compressSync: Record<Encoding, (identity: Buffer) => Buffer> = {
  identity: (identity) => identity,
  gzip: (identity) => exactCopy(gzipSync(identity, gzipOptions(identity))),
  br: (identity) => exactCopy(brotliCompressSync(identity, brotliOptions(identity))),
}

function brotliOptions({ length }: Buffer): BrotliOptions {
  // A Brotli encoder allocates its window in advance. The default window takes tens of megabytes for any body.
  const window = Math.min(Math.ceil(Math.log2(length + 16)), constants.BROTLI_DEFAULT_WINDOW)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: window }
  return { params, chunkSize: Math.min(length, MAX_CHUNK_BYTES) }
}

function gzipOptions({ length }: Buffer): ZlibOptions {
  // Level 9 takes a hundred milliseconds for 48 KiB of two random letters, and saves one percent of usual pages.
  return { level: 6, chunkSize: Math.min(length, MAX_CHUNK_BYTES) }
}

/** A copy in a buffer of its exact length. zlib returns the beginning of a buffer of `chunkSize`. */
function exactCopy(bytes: Buffer): Buffer {
  return Buffer.from(new Uint8Array(bytes).buffer)
}

/** Chooses the encoding by Accept-Encoding, and 304 or 200 by the conditional headers, and sends that response. */
export function sendRepresentation({ headers }: Request, reply: Reply, representation: Representation): Reply {
  const body = representation.body(encodingFor(headers['accept-encoding']))
  return reply.sendPrebuilt(isNotModified(headers, representation.modified, body.etag) ? body.notModified : body.ok)
}

/**
 * The encoding with the highest q-value (RFC 9110, section 12.5.3). Brotli is preferred to gzip at the same q-value,
 * because its result is smaller.
 */
export const encodingFor = boundedMemo((accepted): Encoding => {
  const qValues = parseQValues(accepted)
  const [best] = (['br', 'gzip'] as const)
    .map((encoding) => ({ encoding, q: qValues.get(encoding) ?? qValues.get('*') ?? 0 }))
    .sort((a, b) => b.q - a.q)
  return best && best.q > 0 && best.q >= (qValues.get('identity') ?? 0) ? best.encoding : 'identity'
})

/** RFC 9110, section 13.1.3: If-Modified-Since is ignored when the request has If-None-Match. */
export function isNotModified(headers: Request['headers'], modified: Date, etag: string): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  if (tags === undefined) return since !== undefined && httpDate(since) >= modified.valueOf()
  return matchesETag(tags, etag)
}

/** Whether If-None-Match names an entity tag, by the weak comparison (RFC 9110, section 13.1.2). */
export function matchesETag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/** NaN for a text that is not an IMF-fixdate (RFC 9110, section 5.6.7), even if `Date.parse` accepts it. */
function httpDate(text: string): number {
  const time = Date.parse(text)
  return new Date(time).toUTCString() === text ? time : Number.NaN
}
