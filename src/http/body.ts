import type { IncomingMessage } from 'node:http'
import { ClientGone } from './client-gone.ts'
import { createLargeBodies } from './large-bodies.ts'
import { expectsContinue } from './message-head.ts'
import { bodyTooLarge, declareRefusal, invalid, Refusal } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

export const MAX_BODY_BYTES = 64 * 1024
const MAX_DEPTH = 20
// The longest list that a schema allows has 100 entries. Validation would check every entry of a longer list.
const MAX_ENTRIES = 500
// The largest HTML form of the site has fewer than 100 fields. Fields beyond this number are ignored.
const MAX_FIELDS = 200
const INITIAL_BUFFER_BYTES = 4 * 1024
// A body may have MAX_SMALL_CHUNKS chunks of any size, and one more for each MIN_AVERAGE_CHUNK_BYTES of its content.
// Clients that send each line of a text as a chunk stay within this limit.
const MAX_SMALL_CHUNKS = 1000
const MIN_AVERAGE_CHUNK_BYTES = 64
export const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** A parser for the bodies of one media type. */
export interface BodyParser {
  type: string
  maxBytes: number
  parse(raw: Buffer, contentType: string): unknown
}

/** The parser of most operations. `checkStructure` bounds the depth and the length of lists. */
export const jsonParser: BodyParser = { type: 'application/json', maxBytes: MAX_BODY_BYTES, parse: parseJson }
export const formParser: BodyParser = {
  type: 'application/x-www-form-urlencoded',
  maxBytes: MAX_BODY_BYTES,
  parse: parseForm,
}

// RFC 9110, section 15.5.16: Accept-Encoding in the 415 response lists the content codings that the server accepts.
const unsupportedCoding = declareRefusal({
  status: 415,
  code: 'unsupported_content_encoding',
  message: 'Content-Encoding of the request is not supported',
  when: 'The body is compressed. The header `Accept-Encoding` lists what the service accepts',
})

const reserveLargeBody = createLargeBodies()

/**
 * Reads and parses the body with the parser of its media type. Undefined for a request without a body. `addressOf`
 * returns the address that the limits of large bodies count.
 */
export async function readBody(
  request: Request,
  parsers: BodyParser[],
  reply: Reply,
  addressOf: (request: Request) => string,
): Promise<unknown> {
  const { raw, headers } = request
  const { 'content-length': length = '0', 'content-type': contentType = '' } = headers
  // The content type of an empty body is not checked: clients such as `curl -d ''` send one.
  if (length === '0' && headers['transfer-encoding'] === undefined) return undefined
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (coding !== 'identity') throw new Refusal(unsupportedCoding, { headers: { 'accept-encoding': 'identity' } })
  const type = mediaTypeOf(request)
  const parser = parsers.find((parser) => parser.type === type)
  if (!parser) throw invalid('body', 'unsupported_media_type', `The request body must be sent as ${parsers[0]?.type}`)
  const bytes = headers['transfer-encoding'] === undefined ? Number(length) : parser.maxBytes
  if (bytes > parser.maxBytes) throw tooLarge()
  if (bytes <= MAX_BODY_BYTES) return read(parser)
  const subject = { address: addressOf(request), userId: request.caller?.userId }
  return reserveLargeBody({ bytes, ...subject }, () => read(parser))

  async function read({ maxBytes, parse }: BodyParser): Promise<unknown> {
    if (expectsContinue(raw)) reply.continue()
    return parse(await bytesOf(raw, maxBytes), contentType)
  }
}

// RFC 9110, sections 5.6.3 and 8.3.1: only spaces and tabs are whitespace around a media type.
const MEDIA_TYPE = /^[ \t]*([^ \t;]+)[ \t]*(?:;|$)/

/**
 * The media type of the body, in lower case and without its parameters. Empty if the header is malformed. Every
 * decision about a body uses this function, so that no guard sees another type than the parser.
 */
export function mediaTypeOf({ headers }: Request): string {
  const [, type = ''] = MEDIA_TYPE.exec(headers['content-type'] ?? '') ?? []
  return type.toLowerCase()
}

/**
 * Reads the whole body into one growing buffer. Node emits a Buffer object for every chunk of a chunked body (RFC 9112,
 * section 7.1). A list of the Buffers of one-byte chunks would take hundreds of times the size of the body.
 */
function bytesOf(raw: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (raw.destroyed) throw new ClientGone()
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const limiter = new BodyLimiter(maxBytes)
  let bytes = Buffer.allocUnsafe(INITIAL_BUFFER_BYTES)
  const take = (chunk: Buffer) => {
    const start = limiter.size
    if (!limiter.accept(chunk)) {
      raw.off('data', take).pause()
      reject(tooLarge())
      return
    }
    if (limiter.size > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(limiter.size, 2 * bytes.length), maxBytes))
      bytes.copy(larger, 0, 0, start)
      bytes = larger
    }
    chunk.copy(bytes, start)
  }
  raw.on('data', take)
  raw.on('end', () => resolve(bytes.subarray(0, limiter.size)))
  raw.on('error', () => reject(new ClientGone()))
  // Every request emits 'close'. An error is created only for an incomplete one.
  raw.on('close', () => raw.complete || reject(new ClientGone()))
  return promise
}

/**
 * Limits the bytes and the chunks of a body. The number of chunks is limited because the HTTP parser calls JavaScript
 * for each of them.
 */
export class BodyLimiter {
  size = 0
  #chunks = 0
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Counts a chunk. Returns false if the body now exceeds a limit. */
  accept(chunk: Buffer): boolean {
    this.size += chunk.length
    this.#chunks += 1
    return this.size <= this.#maxBytes && this.#chunks <= MAX_SMALL_CHUNKS + this.size / MIN_AVERAGE_CHUNK_BYTES
  }
}

/** Closes the connection: the rest of the body is in transit and would have to be read before the next request. */
function tooLarge(): Refusal {
  return new Refusal(bodyTooLarge, { headers: { connection: 'close' } })
}

function parseJson(raw: Buffer): unknown {
  // An empty chunked body is validated as an empty object, like a request without a body.
  if (raw.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(strictUtf8.decode(raw))
  } catch {
    throw invalid('body', 'invalid_format', 'The request body must be valid JSON in UTF-8')
  }
  checkStructure(value, 1)
  return value
}

/** Parses application/x-www-form-urlencoded, which HTML forms send. The last of two fields with the same name wins. */
function parseForm(raw: Buffer): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  try {
    for (const pair of strictUtf8.decode(raw).replaceAll('+', ' ').split('&', MAX_FIELDS)) {
      const equals = pair.indexOf('=')
      const name = equals < 0 ? pair : pair.slice(0, equals)
      fields[decodeURIComponent(name)] = equals < 0 ? '' : decodeURIComponent(pair.slice(equals + 1))
    }
  } catch {
    throw invalid('body', 'invalid_format', 'The form must be text in UTF-8')
  }
  checkStructure(fields, 1)
  return fields
}

/**
 * Refuses a body that is nested too deeply or has too long a list, which bounds the work of the later steps. A field
 * such as `__proto__` needs no check: `JSON.parse` makes it an own property, and validation deletes fields that no
 * schema names.
 */
export function checkStructure(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  if (depth > MAX_DEPTH) throw invalid('body', 'too_deep', `The request body is nested deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value)) {
    if (value.length > MAX_ENTRIES) throw invalid('body', 'too_many', `A list has more than ${MAX_ENTRIES} entries`)
    for (const item of value) checkStructure(item, depth + 1)
    return
  }
  for (const item of Object.values(value)) checkStructure(item, depth + 1)
}
