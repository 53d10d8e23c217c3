import { createHash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import zlib from 'node:zlib'

// Every service of a test process compresses the same pages of the API, which took half of the processor time of its
// start. Smaller bodies are mostly those of one test.
const MIN_BYTES = 10_000
const MAX_RESULTS = 200

type Compress = (bytes: Buffer, options: object, done: (error: Error | null, result: Buffer) => void) => void

/** Lets the services of this process share the results of compressions. Runs before the code of the service is loaded. */
export function shareCompressions(): void {
  for (const name of ['brotliCompress', 'gzip'] as const)
    Object.assign(zlib, { [name]: shared(zlib[name] as Compress) })
  syncBuiltinESMExports()
}

function shared(compress: Compress): Compress {
  const results = new Map<string, Buffer>()
  return (bytes, options, done) => {
    if (bytes.length < MIN_BYTES) return compress(bytes, options, done)
    const key = `${createHash('sha256').update(bytes).digest('base64')} ${JSON.stringify(options)}`
    const known = results.get(key)
    if (known) return process.nextTick(done, null, known)
    compress(bytes, options, (error, result) => {
      if (!error && results.size < MAX_RESULTS) results.set(key, result)
      done(error, result)
    })
  }
}
