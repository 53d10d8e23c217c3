import { SHORT_CACHE_MS } from '../http/cache-policy.ts'
import type { DiskFile } from './page-variants.ts'
import type { Publication } from './publication.ts'
import type { LazyResponse } from './response-cache.ts'

/**
 * Adds the style sheets of previous publications to a new one, for as long as cached pages may link to them. The path
 * of a style sheet contains its hash.
 */
export function createStyleRetention() {
  const styles = new Map<string, { file: LazyResponse | DiskFile; until: number }>()

  return (fresh: Publication, { frame: { stylesheets, ownStylesheet }, files }: Publication): void => {
    const now = Date.now()
    for (const path of [...Object.values(stylesheets), ownStylesheet ?? []].flat()) {
      const latest = files.get(path)
      if (latest) styles.set(path, { file: latest, until: now + SHORT_CACHE_MS })
    }
    for (const [path, { file, until }] of styles) {
      if (until < now) styles.delete(path)
      else if (!fresh.files.has(path)) fresh.files.set(path, file)
    }
  }
}
