import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Reply } from './reply.ts'
import { encodingFor } from './representation.ts'
import type { Request } from './request.ts'

// Quality 4 takes a fraction of a millisecond for a page of 10 kB. Prepared pages are compressed once, at a higher
// quality.
const BROTLI_QUALITY = 4
// 64 KiB: a Brotli encoder allocates its window in advance.
const WINDOW_BITS = 16
const GZIP_LEVEL = 5

const compress = {
  br: (text: string) =>
    brotliCompressSync(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS },
    }),
  gzip: (text: string) => gzipSync(text, { level: GZIP_LEVEL }),
}

/** Sends a text that is made for one request, at a low compression level. The text must have no secrets of a user. */
export function sendCompressed({ headers }: Request, reply: Reply, text: string): Reply {
  reply.vary('Accept-Encoding')
  const encoding = encodingFor(headers['accept-encoding'])
  if (encoding === 'identity') return reply.send(text)
  return reply.header('content-encoding', encoding).send(compress[encoding](text))
}
