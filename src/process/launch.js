// @ts-check
import { enableCompileCache, flushCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'

// The compile cache stores TypeScript modules with their types stripped. The entry is JavaScript, because Node would
// load its type stripper for an entry in TypeScript at every start, before the cache is enabled: 40 MB of memory.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compiled'))

// This hook resolves a relative specifier with a file extension without reading the disk. Node would check the file,
// its symbolic links and package.json for each import, which took half the time of importing a large package. The
// format is known, because importing and imported module have the same extension.
/** @type {Record<string, string>} */
const FORMATS = { '.ts': 'module-typescript', '.js': 'module', '.mjs': 'module' }
registerHooks({
  resolve(specifier, { parentURL, conditions, ...context }, next) {
    const [, extension = 'none'] = /^\.{1,2}\/.*(\.ts|\.m?js)$/.exec(specifier) ?? []
    const isResolvable = parentURL?.endsWith(extension) && !conditions.includes('require')
    if (!isResolvable) return next(specifier, { parentURL, conditions, ...context })
    return { url: new URL(specifier, parentURL).href, format: FORMATS[extension], shortCircuit: true }
  },
})

const { serve } = await import('./serve.ts')
await serve()
// Node writes the cache when the process exits, but not when a signal kills it.
flushCompileCache()
