import { enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'

// What was compiled once is kept, so that the next start takes half the time. It must be on before the rest is imported.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))

// Node looks every import up on the disk, links and package.json included, and our packages have thousands of them: that
// took longer than all else. A module that names a neighbour of its own kind in full has said all there is to know.
const FORMATS: Record<string, string> = { '.ts': 'module-typescript', '.js': 'module', '.mjs': 'module' }
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
