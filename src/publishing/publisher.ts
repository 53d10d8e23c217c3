import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { CalendarSource } from '../content/calendar.ts'
import { createHighlighter, type Painted } from '../content/highlight.ts'
import { type Library, readLibrary } from '../content/library.ts'
import { createRenderer } from '../content/markdown.ts'
import type { Saved } from '../content/saved.ts'
import { watchFolder } from '../content/watch-folder.ts'
import type { Log } from '../logging/log.ts'
import { type Frame, pageOf } from '../pages/layout.ts'
import { createContentLog } from './content-log.ts'
import { keepingFormerStyles } from './former-styles.ts'
import type { Sendable } from './page-variants.ts'
import { type Publication, publish } from './publication.ts'

/** Keeps the publication up to date: with the content folder, the calendar, and posts whose time has come. */
export interface Publisher {
  /** What there is at an address, ready to be sent. */
  find(path: string): Sendable | undefined
  /** When what is being prepared is to be waited for. */
  settled(): Promise<void> | undefined
  has(path: string): boolean
  frame(): Frame
  /** Something has changed: prepares everything anew, and until then serves what there is. */
  refresh(): void
  close(): void
}

// Editors save in several steps, and what is half written is no mistake yet. Who never stops writing is not waited for.
const DEBOUNCE_MS = 50
const MAX_DEBOUNCE_MS = 500
const RETRY_INTERVAL_MS = 10_000

export async function createPublisher(
  { baseUrl, contentDir, mode, mail }: Config,
  descriptions: Record<string, object>,
  calendar: CalendarSource,
  saved: Saved,
  log: Log,
): Promise<Publisher> {
  const highlighter = await createHighlighter({
    read: async () => ((await saved.read('painted-code'))?.value ?? {}) as Record<string, Painted>,
    write: (painted) =>
      saved
        .write('painted-code', painted)
        .catch((error) => log.warn({ err: error }, 'could not keep the colours of the code')),
  })
  const render = createRenderer(highlighter)
  const isDevelopment = mode === 'development'
  const tell = createContentLog(contentDir, log)
  const keepStyles = keepingFormerStyles()
  let isRepainted = false
  let isClosed = false
  let library: Library | undefined
  let publication = await prepare()
  let addresses = addressesOf(publication)
  let running: Promise<void> | undefined
  let isStale = false
  let alarm = setTimeout(refresh, untilNextChange()).unref()
  const watcher = isDevelopment ? watchFolder(contentDir, refresh) : undefined
  // The first visitor waits neither for the code host nor for the colours of code.
  calendar.current().then(refresh, () => {})
  paint().catch((error) => log.error({ err: error }, 'could not colour the code'))

  async function prepare(former?: Publication): Promise<Publication> {
    if (isRepainted) former?.rendered.clear()
    isRepainted = false
    library = await readLibrary(contentDir, library)
    const sources = { library, calendar: calendar.known(), descriptions, render, highlighter, baseUrl }
    const hasMailbox = isDevelopment && !mail.smtpUrl
    const fresh = await publish({ ...sources, showsDrafts: isDevelopment, hasMailbox }, new Date(), former)
    tell(library, fresh)
    if (former) keepStyles(fresh, former)
    return fresh
  }

  function refresh() {
    if (isClosed) return
    isStale = true
    running ??= round()
  }

  async function round() {
    clearTimeout(alarm)
    await settled()
    let wait: number
    try {
      publication = await prepare(publication)
      addresses = addressesOf(publication)
      await paint()
      wait = untilNextChange()
    } catch (error) {
      log.error({ err: error }, 'could not prepare the site, which stays as it was')
      wait = RETRY_INTERVAL_MS
    }
    alarm = setTimeout(refresh, wait).unref()
    // At once: what changes from now on needs a round of its own, and nobody waits for more than one.
    running = undefined
    if (isStale) refresh()
  }

  async function settled() {
    const deadline = performance.now() + MAX_DEBOUNCE_MS
    do {
      isStale = false
      if (watcher) await pause(DEBOUNCE_MS)
    } while (isStale && performance.now() < deadline)
    isStale = false
  }

  async function paint() {
    if (!(await highlighter.paintMissing())) return
    // What is being prepared meanwhile may still be without colours: the next round renders all of it.
    isRepainted = true
    refresh()
  }

  /** Until the time of the next post has come; at midnight the calendar has a new day. */
  function untilNextChange(): number {
    const midnight = new Date().setUTCHours(24, 0, 0, 0)
    const next = Math.min(publication.nextChange?.valueOf() ?? midnight, midnight)
    return Math.max(0, next - Date.now()) + 1
  }

  return {
    find(path) {
      calendar.renew()
      return addresses.get(path)
    },
    // In development, whoever saved a file sees it at once; elsewhere nobody waits.
    settled: () => (watcher ? running : undefined),
    has: (path) => publication.pages.has(pageOf(path)) || publication.files.has(path),
    frame: () => publication.frame,
    refresh,
    close() {
      isClosed = true
      clearTimeout(alarm)
      watcher?.close()
    },
  }
}

/** All of it in one table, since it is looked up for every visitor. No page can take the place of a file. */
function addressesOf({ pages, drafts, files }: Publication): Map<string, Sendable> {
  return new Map<string, Sendable>([...pages, ...drafts, ...files])
}
