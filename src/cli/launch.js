// @ts-check
import { enableCompileCache, flushCompileCache } from 'node:module'
import { join } from 'node:path'

// The compile cache stores TypeScript modules with their types stripped. The entry is JavaScript, because Node would
// load its type stripper for an entry in TypeScript at every start, before the cache is enabled: 40 MB of memory.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

const { main } = await import('./main.ts')
await main(process.argv.slice(2))
// Node writes the cache when the process exits, but not when a signal kills it.
flushCompileCache()
