import type { IncomingMessage } from 'node:http'
import { expectsContinue } from './message-head.ts'
import { bodyTooLarge, invalid, Refusal, type RefusalKind, unavailable } from './refusal.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

export const BODY_LIMIT = 64 * 1024
const DEPTH_LIMIT = 20
// The largest list that a schema allows has 20 entries. Every entry of a longer list would be validated too.
const MAX_ENTRIES = 500
// The largest form of ours has fewer than 100. What a form has beyond this number is not read.
const MAX_FIELDS = 200
// Together they take up to 160 MB.
const MAX_LARGE_BODIES = 32
const FIRST_BUFFER_BYTES = 4 * 1024
// Clients that send in chunks fill them with a line of text at least. A few may be smaller.
const MAX_SMALL_CHUNKS = 1000
const FAIR_CHUNK_BYTES = 64
const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** Something that a body may be sent as. */
export interface BodyParser {
  type: string
  limit: number
  parse(raw: Buffer, contentType: string): unknown
}

/** JSON is the only body that most of the API reads, and only JSON that every later layer can hold safely. */
export const json: BodyParser = { type: 'application/json', limit: BODY_LIMIT, parse: parseBody }
export const form: BodyParser = { type: 'application/x-www-form-urlencoded', limit: BODY_LIMIT, parse: parseForm }

// RFC 9110, section 15.5.16: the Accept-Encoding header of the response names the codings that are accepted.
const unsupportedCoding: RefusalKind = { status: 415, message: 'Content-Encoding of the request is not supported' }

/** The client has closed its connection before it was answered. */
export class ClientGone extends Error {}

/** The body in one of these forms; undefined when there is none. */
export async function readBody({ raw, headers }: Request, forms: BodyParser[], reply: Reply): Promise<unknown> {
  const { 'content-length': length = '0', 'content-type': contentType = '' } = headers
  // Many clients name a type also when they send nothing, as `curl -d ''` does: of no body it says nothing.
  if (length === '0' && headers['transfer-encoding'] === undefined) return undefined
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (coding !== 'identity') throw new Refusal(unsupportedCoding, { headers: { 'accept-encoding': 'identity' } })
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase()
  const found = forms.find((form) => form.type === type)
  if (!found) throw invalid('body', `The request body must be sent as ${forms[0]?.type}`)
  if (Number(length) > found.limit) throw tooLarge()
  if (found.limit > BODY_LIMIT) return readLarge(() => read(found))
  return read(found)

  async function read({ limit, parse }: BodyParser): Promise<unknown> {
    if (expectsContinue(raw)) reply.continue()
    return parse(await bytesOf(raw, limit), contentType)
  }
}

let largeBodies = 0

/** Large bodies are kept in memory while they arrive, so that only so many may arrive at once. */
async function readLarge<T>(read: () => Promise<T>): Promise<T> {
  if (largeBodies >= MAX_LARGE_BODIES) {
    throw new Refusal(unavailable, { headers: { 'retry-after': '5', connection: 'close' } })
  }
  largeBodies += 1
  try {
    return await read()
  } finally {
    largeBodies -= 1
  }
}

/**
 * All bytes of a body, copied into one buffer that grows. Node makes an object of every chunk (RFC 9112, section 7.1),
 * so that a body of one-byte chunks would take hundreds of times its size if they were kept.
 */
function bytesOf(raw: IncomingMessage, limit: number): Promise<Buffer> {
  if (raw.destroyed) throw new ClientGone()
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const body = new BodyMeter(limit)
  let bytes = Buffer.allocUnsafe(FIRST_BUFFER_BYTES)
  raw.on('data', (chunk: Buffer) => {
    const start = body.size
    if (!body.takes(chunk)) {
      raw.pause()
      reject(tooLarge())
      return
    }
    if (body.size > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(body.size, 2 * bytes.length), limit))
      bytes.copy(larger, 0, 0, start)
      bytes = larger
    }
    chunk.copy(bytes, start)
  })
  raw.on('end', () => resolve(bytes.subarray(0, body.size)))
  raw.on('error', () => reject(new ClientGone()))
  // Which every request does in the end: an error is made for those alone that were not whole.
  raw.on('close', () => raw.complete || reject(new ClientGone()))
  return promise
}

/** Counts what has come of a body. Each chunk is work for the parser, however small it is. */
export class BodyMeter {
  size = 0
  #chunks = 0
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether a body may have this chunk too. */
  takes(chunk: Buffer): boolean {
    this.size += chunk.length
    this.#chunks += 1
    return this.size <= this.#limit && this.#chunks <= MAX_SMALL_CHUNKS + this.size / FAIR_CHUNK_BYTES
  }
}

/** The rest of it is on its way and nobody will read it, so the connection is of no use any more. */
function tooLarge(): Refusal {
  return new Refusal(bodyTooLarge, { headers: { connection: 'close' } })
}

function parseBody(raw: Buffer): unknown {
  // Sent in chunks of which there are none; that is an empty object to the validation.
  if (raw.length === 0) return {}
  let value: unknown
  try {
    value = JSON.parse(strictUtf8.decode(raw))
  } catch {
    throw invalid('body', 'The request body must be valid JSON in UTF-8')
  }
  inspect(value, 1)
  return value
}

/** What the form of a page sends: texts by the names of their fields. */
function parseForm(raw: Buffer): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  try {
    for (const pair of strictUtf8.decode(raw).replaceAll('+', ' ').split('&', MAX_FIELDS)) {
      const equals = pair.indexOf('=')
      const name = equals < 0 ? pair : pair.slice(0, equals)
      fields[decodeURIComponent(name)] = equals < 0 ? '' : decodeURIComponent(pair.slice(equals + 1))
    }
  } catch {
    throw invalid('body', 'The form must be text in UTF-8')
  }
  inspect(fields, 1)
  return fields
}

/**
 * Bounds the work that a body makes. Fields that no schema names are ignored whatever they contain, names such as
 * `__proto__` included: `JSON.parse` makes an own property of it, which the validation deletes.
 */
export function inspect(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  if (depth > DEPTH_LIMIT) throw invalid('body', `The request body is nested deeper than ${DEPTH_LIMIT} levels`)
  if (Array.isArray(value)) {
    if (value.length > MAX_ENTRIES) throw invalid('body', `A list has more than ${MAX_ENTRIES} entries`)
    for (const item of value) inspect(item, depth + 1)
    return
  }
  for (const item of Object.values(value)) inspect(item, depth + 1)
}
