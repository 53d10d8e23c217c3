import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/**
 * The folder for `enableCompileCache` in a worker thread. Without the cache, the thread would load the type stripper of
 * Node. Undefined if this process has no cache.
 */
export function compileCacheFolder(): string | undefined {
  const cache = getCompileCacheDir()
  // Node adds a folder for its version to the one that it is given.
  return cache && dirname(cache)
}
