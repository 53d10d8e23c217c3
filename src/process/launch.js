// @ts-check
import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'

// In plain JavaScript: what is below is TypeScript, which Node strips of its types once and then finds in the cache. An entry
// in TypeScript would load the stripper at every start, before there is a cache: 40 MB for nothing.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

// Node looks every import up on the disk, links and package.json included, which was half the time of
// importing a large package. A module that names a neighbour of its own kind in full has said all there is to know.
/** @type {Record<string, string>} */
const FORMATS = { '.ts': 'module-typescript', '.js': 'module', '.mjs': 'module' }
registerHooks({
  resolve(specifier, { parentURL, conditions, ...context }, next) {
    const [, extension = 'none'] = /^\.{1,2}\/.*(\.ts|\.m?js)$/.exec(specifier) ?? []
    const isInFull = parentURL?.endsWith(extension) && !conditions.includes('require')
    if (!isInFull) return next(specifier, { parentURL, conditions, ...context })
    return { url: new URL(specifier, parentURL).href, format: FORMATS[extension], shortCircuit: true }
  },
})

const { serve } = await import('./serve.ts')
await serve()
// Node would write it when the process ends by itself, and not when it is killed.
flushCompileCache()
