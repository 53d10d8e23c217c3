import type { Representation } from '../http/representation.ts'
import type { Publication } from './publication.ts'

// A page may be shown by a cache for a minute, and for ten more while it is fetched anew.
const KEPT = 11 * 60_000

/** Pages that somebody has kept still name the style sheet that they were made with. */
export function keepingFormerStyles() {
  const styles = new Map<string, { file: Representation; until: number }>()

  return (fresh: Publication, { frame: { stylesheet }, files }: Publication): void => {
    const now = Date.now()
    const latest = files.get(stylesheet)
    if (latest) styles.set(stylesheet, { file: latest, until: now + KEPT })
    for (const [path, { file, until }] of styles) {
      if (until < now) styles.delete(path)
      else if (!fresh.files.has(path)) fresh.files.set(path, file)
    }
  }
}
