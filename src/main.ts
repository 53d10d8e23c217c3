import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// What was compiled once is kept, so that the next start takes half the time. It must be on before the rest is imported.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))
const { serve } = await import('./serve.ts')
await serve()
