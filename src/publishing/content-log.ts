import { relative } from 'node:path'
import { isPublic, type Library } from '../content/library.ts'
import { counted } from '../lib/counted.ts'
import type { Log } from '../logging/log.ts'
import type { Publication } from './publication.ts'

/** Logs a summary of the content folder and its faults. A message is not repeated while it stays the same. */
export function createContentLog(contentDir: string, log: Log) {
  const inside = relative('.', contentDir)
  const folder = inside === '' || inside.startsWith('..') ? contentDir : inside
  let logged = new Set<string>()

  return (library: Library, publication: Publication) => {
    const warnings = library.exists
      ? [...library.faults, ...publication.faults].map(({ message }) => `${folder}/${message}`)
      : [`there is no content folder ${contentDir} (CONTENT_DIR)`]
    const summary = `content: ${summaryOf(library, publication)}`
    for (const warning of warnings) if (!logged.has(warning)) log.warn(warning)
    if (!logged.has(summary)) log.info(summary)
    logged = new Set([...warnings, summary])
  }
}

/** Such as "4 posts, 2 pages, 1 draft, 1 to come, next on 2026-12-01 (see /dev/drafts)". */
function summaryOf({ posts, pages }: Library, { drafts, nextChange }: Publication): string {
  const now = new Date()
  const waiting = [...posts, ...pages].filter((document) => !isPublic(document, now))
  const [drafted, scheduled] = [waiting.filter(({ isDraft }) => isDraft), waiting.filter(({ isDraft }) => !isDraft)]
  const parts = [
    counted(posts.filter((post) => isPublic(post, now)).length, 'post'),
    counted(pages.filter((page) => isPublic(page, now)).length, 'page'),
    drafted.length > 0 && counted(drafted.length, 'draft'),
    scheduled.length > 0 && `${scheduled.length} to come, next on ${nextChange?.toISOString().slice(0, 10)}`,
  ]
  const where = waiting.length > 0 && drafts.size > 0 ? ' (see /dev/drafts)' : ''
  return parts.filter(Boolean).join(', ') + where
}
