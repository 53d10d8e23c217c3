import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { IMMUTABLE_CACHE } from '../http/cache-policy.ts'
import type { Routes } from '../http/routes.ts'

const FOLDER = new URL('./web/', import.meta.url)

const scripts = new Map(
  readdirSync(FOLDER)
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => {
      const source = readFileSync(new URL(file, FOLDER), 'utf8')
      const name = file.replace(/\.[jt]s$/, '')
      const hash = createHash('sha256').update(source).digest('hex').slice(0, 12)
      return [name, { path: `/assets/${name}.${hash}.js`, source, isTyped: file.endsWith('.ts') }]
    }),
)

/** The path of a module of `pages/web`. It contains the hash of the source. */
export function scriptPath(name: string): string {
  const script = scripts.get(name)
  if (!script) throw new Error(`pages/web has no module ${name}`)
  return script.path
}

/** Serves the modules of `pages/web` without their types. The published package has them as JavaScript. */
export function serveScripts(app: Routes): void {
  for (const { path, source, isTyped } of scripts.values()) {
    let script = isTyped ? undefined : source
    app.get(path, async (_request, reply) => {
      script ??= withoutTypes(source)
      return reply.headers({ 'Cache-Control': IMMUTABLE_CACHE }).type('text/javascript; charset=utf-8').send(script)
    })
  }
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
