import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { waitingLine } from './waiting-line.ts'
import { weightsIn } from './weights.ts'

/** Bytes that are ready to be sent: compressed and stamped once, when they are made. */
export interface Representation {
  type: string
  modified: Date
  bodies: Record<'br' | 'gzip' | 'identity', { bytes: Buffer; etag: string }>
  headers: Record<string, string>
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)
// Each encoder takes memory as soon as it is made, and a thread of those that also hash passwords.
const inTurn = waitingLine({ mostAtOnce: 2, longest: Number.POSITIVE_INFINITY })
// Below this, compressing costs more than it saves.
const WORTH_COMPRESSING = 512
const COMPRESSED_ALREADY = /^(image\/(?!svg)|application\/pdf)/

/**
 * What has the same bytes as before is neither compressed nor dated again. The date is that of this process, not of an
 * author: it tells when the bytes changed, which they also do with the code that makes them.
 */
export async function represent(
  type: string,
  content: string | Buffer,
  headers: Record<string, string>,
  former?: Representation,
): Promise<Representation> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  if (former?.bodies.identity.etag === `"${hash}"`) return { ...former, type, headers }
  const isPlain = bytes.length < WORTH_COMPRESSING || COMPRESSED_ALREADY.test(type)
  const [br, gz] = isPlain ? [bytes, bytes] : await inTurn(() => compress(bytes))
  // A strong tag names exact bytes, so each encoding has its own.
  const bodies = {
    identity: { bytes, etag: `"${hash}"` },
    gzip: { bytes: gz, etag: `"${hash}-gz"` },
    br: { bytes: br, etag: `"${hash}-br"` },
  }
  // HTTP dates have whole seconds.
  return { type, modified: new Date(Math.floor(Date.now() / 1000) * 1000), bodies, headers }
}

async function compress(bytes: Buffer): Promise<[br: Buffer, gzip: Buffer]> {
  // With the usual window an encoder takes tens of megabytes, whatever little there is to look back on.
  const window = Math.min(Math.ceil(Math.log2(bytes.length + 16)), constants.BROTLI_DEFAULT_WINDOW)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: window }
  const br = await compressBrotli(bytes, { params })
  return [br, await compressGzip(bytes, { level: 9 })]
}

export function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: Representation,
): FastifyReply {
  const isPlain = representation.bodies.br.bytes === representation.bodies.identity.bytes
  const encoding = isPlain ? 'identity' : encodingFor(request.headers['accept-encoding'])
  const { bytes, etag } = representation.bodies[encoding]
  reply.headers(representation.headers).headers({
    'Content-Type': representation.type,
    ETag: etag,
    'Last-Modified': representation.modified.toUTCString(),
  })
  addVary(reply, 'Accept-Encoding')
  if (isFresh(request, representation, etag)) return reply.code(304).removeHeader('Content-Type').send()
  if (encoding !== 'identity') reply.header('Content-Encoding', encoding)
  return reply.send(bytes)
}

export function addVary(reply: FastifyReply, name: string): void {
  const vary = reply.getHeader('Vary')
  reply.header('Vary', vary ? `${vary}, ${name}` : name)
}

/** What the client prefers; where it does not care, what is smallest. */
function encodingFor(accepted: string | undefined): 'br' | 'gzip' | 'identity' {
  const weights = weightsIn(accepted)
  const [best] = (['br', 'gzip'] as const)
    .map((encoding) => ({ encoding, weight: weights.get(encoding) ?? weights.get('*') ?? 0 }))
    .sort((a, b) => b.weight - a.weight)
  return best && best.weight > 0 && best.weight >= (weights.get('identity') ?? 0) ? best.encoding : 'identity'
}

/** RFC 9110: If-None-Match decides where it is sent, If-Modified-Since only without it. */
function isFresh({ headers }: FastifyRequest, { modified }: Representation, etag: string): boolean {
  const tags = headers['if-none-match']
  if (tags === undefined) return httpDate(headers['if-modified-since']) >= modified.valueOf()
  return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/** NaN for what is no HTTP date, though it may be one elsewhere. */
function httpDate(text = ''): number {
  const time = Date.parse(text)
  return new Date(time).toUTCString() === text ? time : Number.NaN
}
