import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Bundles the server with its dependencies. Modules that are loaded on demand become files of their own. All files are
 * in one folder, because the source addresses threads, style sheets and scripts relative to `import.meta.url`.
 * Returns the paths of all bundled modules.
 */
export async function bundle(source: string, folder: string, external: readonly string[]): Promise<string[]> {
  const build = await rolldown({
    input: {
      index: join(source, 'index.ts'),
      'cli/launch': join(source, 'cli/launch.js'),
      'hash-thread': join(source, 'accounts/hash-thread.js'),
      'highlight-thread': join(source, 'content/highlight-thread.js'),
      'index-thread': join(source, 'content/search/index-thread.js'),
      'render-thread': join(source, 'content/render-thread.js'),
      'picture-process': join(source, 'pictures/picture-process.js'),
      'sqlite-checkpoint-thread': join(source, 'database/sqlite-checkpoint-thread.js'),
    },
    platform: 'node',
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)) || OPTIONAL.includes(id),
    onLog(level, log, handle) {
      if (log.code !== 'EVAL') handle(level, log)
    },
  })
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    minify: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await build.close()
  return [...new Set(output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])))]
}

// Packages that dependencies require if they are installed. Portico uses none of them.
const OPTIONAL = ['pg-native', 'pg-cloudflare', 'cloudflare:sockets', 'pino-pretty']
