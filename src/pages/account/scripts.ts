import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import type { Routes } from '../../http/routes.ts'

const FOLDER = new URL('../web/', import.meta.url)

/**
 * Serves the modules of `pages/web` without their types. Returns a function from module name to path, which has a hash.
 */
export function serveScripts(app: Routes): (name: string) => string {
  const addresses = new Map<string, string>()
  for (const file of readdirSync(FOLDER).filter((file) => file.endsWith('.ts'))) {
    const source = readFileSync(new URL(file, FOLDER), 'utf8')
    const name = file.replace(/\.ts$/, '')
    const address = `/assets/${name}.${createHash('sha256').update(source).digest('hex').slice(0, 12)}.js`
    addresses.set(name, address)
    let script: string | undefined
    app.get(address, async (_request, reply) => {
      script ??= withoutTypes(source)
      return reply
        .headers({ 'Cache-Control': 'public, max-age=31536000, immutable' })
        .type('text/javascript; charset=utf-8')
        .send(script)
    })
  }
  return (name) => addresses.get(name) ?? ''
}

/** Suppresses Node's ExperimentalWarning. The Node version is pinned, so the function does not change unnoticed. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}
