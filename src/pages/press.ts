import { type FSWatcher, watch } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config.ts'
import type { CalendarSource } from '../content/calendar.ts'
import { createHighlighter, type Painted } from '../content/highlight.ts'
import { type Library, readLibrary } from '../content/library.ts'
import { createRenderer } from '../content/markdown.ts'
import type { Saved } from '../content/saved.ts'
import type { Representation } from '../http/representation.ts'
import { createContentLog } from './content-log.ts'
import { type Frame, pageOf } from './layout.ts'
import { type Publication, publish } from './publication.ts'

/** Keeps the publication up to date: with the content folder, the calendar, and posts whose time has come. */
export interface Press {
  current(): Promise<Publication>
  has(path: string): boolean
  frame(): Frame
  /** Something has changed: prepares everything anew, and until then serves what there is. */
  refresh(): void
  close(): void
}

// Timers cannot wait much longer; waking up early does no harm.
const LONGEST_WAIT = 24 * 60 * 60_000
// Editors save in several steps, and what is half written is no mistake yet.
const SETTLED = 50

/** What has other bytes than before was modified now, whatever date it bears; the rest keeps its time. */
function stamped(former: Publication, fresh: Publication): Publication {
  const now = new Date(Math.floor(Date.now() / 1000) * 1000)
  const stamp = (before: Representation | undefined, after: Representation) => {
    const isSame = before?.bodies.identity.etag === after.bodies.identity.etag
    return before ? { ...after, modified: isSame ? before.modified : now } : after
  }
  const pages = [...fresh.pages].map(([path, { html, markdown, parts }]) => {
    const before = former.pages.get(path)
    return [path, { html: stamp(before?.html, html), markdown: stamp(before?.markdown, markdown), parts }] as const
  })
  const files = [...fresh.files].map(([path, file]) => [path, stamp(former.files.get(path), file)] as const)
  // Pages that somebody has kept still name the former style sheet.
  const kept = [...former.files].filter(([path]) => path === former.frame.stylesheet)
  return { ...fresh, pages: new Map(pages), files: new Map([...kept, ...files]) }
}

export async function createPress(
  { baseUrl, contentDir, mode }: Config,
  descriptions: Record<string, object>,
  calendar: CalendarSource,
  saved: Saved,
  log: FastifyBaseLogger,
): Promise<Press> {
  const highlighter = await createHighlighter({
    read: async () => ((await saved.read('painted-code'))?.value ?? {}) as Record<string, Painted>,
    write: (painted) => saved.write('painted-code', painted),
  })
  const render = createRenderer(highlighter)
  const isDevelopment = mode === 'development'
  const tell = createContentLog(contentDir, log)
  let library: Library | undefined
  let publication = await prepare()
  let running: Promise<void> | undefined
  let isStale = false
  let appearance = wakeForNextPost()
  const watcher = isDevelopment ? watchFolder() : undefined
  // The first visitor waits neither for the code host nor for the colours of code.
  calendar.current().then(refresh, () => {})
  paint().catch((error) => log.error({ err: error }, 'could not colour the code'))

  async function prepare(): Promise<Publication> {
    library = await readLibrary(contentDir, library)
    const sources = { library, calendar: calendar.known(), descriptions, render, highlighter, baseUrl }
    const fresh = await publish({ ...sources, showsDrafts: isDevelopment }, new Date())
    tell(library, fresh)
    return fresh
  }

  function refresh() {
    isStale = true
    running ??= run()
  }

  async function run() {
    while (isStale) {
      do {
        isStale = false
        if (watcher) await pause(SETTLED)
      } while (isStale)
      try {
        publication = stamped(publication, await prepare())
        await paint()
      } catch (error) {
        log.error({ err: error }, 'could not prepare the site')
      }
    }
    // At once: what changes from now on needs a run of its own.
    running = undefined
    clearTimeout(appearance)
    appearance = wakeForNextPost()
  }

  async function paint() {
    if (await highlighter.paintMissing()) refresh()
  }

  function wakeForNextPost(): NodeJS.Timeout | undefined {
    const { nextChange } = publication
    if (!nextChange) return undefined
    const wait = Math.min(Math.max(0, nextChange.valueOf() - Date.now()), LONGEST_WAIT)
    return setTimeout(refresh, wait + 1).unref()
  }

  function watchFolder(): FSWatcher | undefined {
    try {
      return watch(contentDir, { recursive: true, persistent: false }, refresh).on('error', () => {})
    } catch {
      return undefined
    }
  }

  return {
    async current() {
      // In development, whoever saved a file sees it at once; elsewhere nobody waits.
      if (watcher) await running
      calendar.renew()
      return publication
    },
    has: (path) => publication.pages.has(pageOf(path)) || publication.files.has(path),
    frame: () => publication.frame,
    refresh,
    close() {
      clearTimeout(appearance)
      watcher?.close()
    },
  }
}
