import { relative } from 'node:path'
import type { ContentFault } from '../content/fault.ts'
import { isPublic, type Library } from '../content/library.ts'
import { counted } from '../lib/counted.ts'
import type { Log } from '../logging/log.ts'
import type { Publication } from './publication.ts'

/** Logs a summary of the content folder, and its faults. A message is not repeated while it stays the same. */
export function createContentLog(contentDir: string, log: Log) {
  const inside = relative('.', contentDir)
  const folder = inside === '' || inside.startsWith('..') ? contentDir : inside
  const warnOfFolder = changedOnly((message) => log.warn(message))
  const warnOfDocuments = changedOnly((message) => log.warn(message))
  const inform = changedOnly((message) => log.info(message))
  const informOfDocuments = changedOnly((message) => log.info(message))
  /** Whether faults were logged since the content had none. */
  let hadFaults = false

  return {
    /** After the folder was read: files that cannot be published, and a summary. */
    published(library: Library, publication: Publication): void {
      warnOfFolder(
        library.exists ? messagesOf(library.faults) : [`there is no content folder ${contentDir} (CONTENT_DIR)`],
      )
      inform([`content: ${summaryOf(library, publication)}`])
      hadFaults ||= library.faults.length > 0
    },
    /**
     * After all documents were rendered: faults of the site, and of documents that are published nevertheless; and
     * content that works but is probably a mistake.
     */
    analysed(library: Library, faults: ContentFault[], warnings: ContentFault[]): void {
      warnOfDocuments(messagesOf(faults))
      informOfDocuments(messagesOf(warnings))
      const hasFaults = library.faults.length + faults.length > 0
      if (hadFaults && !hasFaults) log.info('content: all faults are corrected')
      hadFaults = hasFaults
    },
  }

  function messagesOf(faults: ContentFault[]): string[] {
    return faults.map(({ message }) => `${folder}/${message}`)
  }
}

// A single document can have a hundred thousand faults.
const MAX_MESSAGES = 500

/** Writes the messages that were not among those of the last call, once each and up to MAX_MESSAGES. */
function changedOnly(write: (message: string) => void): (messages: string[]) => void {
  let written = new Set<string>()
  return (messages) => {
    const current = new Set(messages)
    const fresh = [...current.difference(written)]
    for (const message of fresh.slice(0, MAX_MESSAGES)) write(message)
    if (fresh.length > MAX_MESSAGES)
      write(`content: ${fresh.length - MAX_MESSAGES} further faults: portico content check names all`)
    written = current
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
