import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { HOUR_MS } from '../lib/dates.ts'
import { LruCache } from '../lib/lru-cache.ts'
import { singleFlightByKey } from '../lib/single-flight.ts'
import type { Log } from '../logging/log.ts'
import type { CardFacts } from './cards/facts.ts'
import { PICTURE_FORMATS, type PictureFile, type PictureSizes, pictureName } from './picture-facts.ts'
import { openPictureIndex, type PictureFacts, type PictureIndex } from './picture-index.ts'
import { createPictureMaker, TooManyCards } from './picture-maker.ts'
import { createPictureStore } from './picture-store.ts'

// The first requests after the start come before the making of sizes.
const START_DELAY_MS = 1_000
// Pages are prepared again while sizes are made: soon for the first ones, and less and less often.
const FIRST_REPORT_MS = 5_000
const MAX_REPORT_MS = 300_000
// After an error of the system, such as a full disk.
const RETRY_INTERVAL_MS = 10 * 60_000
const SWEEP_INTERVAL_MS = 6 * HOUR_MS
// A card that cannot be drawn is not tried again at each request.
const FAILURE_RETENTION_MS = 60_000
const MAX_FAILURES = 1000
// About 5,000 photographs.
const MAX_STORE_BYTES = 2 * 1024 * 1024 * 1024

export interface Pictures {
  index: Pick<PictureIndex, 'find' | 'set'>
  /** The sizes of a picture. Undefined until they are made: then they are made soon, and `changed` is called. */
  sizesOf(picture: PictureFile): PictureSizes | undefined
  /** The content of a size by its name. A size that has vanished from the store is made again. */
  readSize(name: string): Promise<Buffer | undefined>
  /** The card as a PNG. It is drawn once, and stored under the name. */
  readCard(name: string, card: CardFacts): Promise<Buffer>
  close(): void
}

/** Whether the size of this name was made of the picture. */
function isSizeOf(sizes: PictureFacts['sizes'], name: string): boolean {
  if (!sizes || !('key' in sizes)) return false
  return PICTURE_FORMATS.some((format) => sizes[format].some((width) => pictureName(sizes.key, width, format) === name))
}

interface PageWork {
  /** Called when sizes were made. */
  changed(): void
  /** Resolves when the pages are prepared. Sizes are made while there is no such work: each of them takes a core. */
  prepared(): Promise<void>
}

/** The sizes of pictures and the social cards, in a folder of their own. */
export async function openPictures(folder: string, log: Log, pages: PageWork): Promise<Pictures> {
  const index = await openPictureIndex(folder)
  const storeFolder = join(folder, 'made')
  const store = createPictureStore(storeFolder)
  const maker = createPictureMaker(storeFolder, join(folder, 'fonts'))
  const startAt = performance.now() + START_DELAY_MS
  const waiting = new Map<string, PictureFile>()
  /** The pictures with sizes, by their keys. Several files may have the same content, and then have one key. */
  const sources = new Map<string, Map<string, PictureFile>>()
  /** The key of each file. */
  const keys = new Map<string, string>()
  /** The keys that were used before the start. Documents with these pictures may not have been read yet. */
  const formerKeys = index.keys()
  const shareDrawing = singleFlightByKey<Buffer>()
  const failures = new LruCache<string, { error: unknown; until: number }>(MAX_FAILURES, () => 1)
  const shareRemaking = singleFlightByKey<Awaited<ReturnType<typeof maker.makeSizes>>>()
  let isMaking = false
  let isClosed = false
  let isFull = false
  let retryAt = 0
  const sweeping = setInterval(() => {
    formerKeys.clear()
    sweep()
  }, SWEEP_INTERVAL_MS).unref()

  async function makeWaiting(): Promise<void> {
    await pause(Math.max(0, startAt - performance.now()), undefined, { ref: false })
    await sweep()
    let reportMs = FIRST_REPORT_MS
    let reportAt = performance.now() + reportMs
    for (let picture = await takeAny(); picture && !isClosed && !isFull; picture = await takeAny()) {
      await make(picture).catch((error) => {
        // The file was deleted after the folder was read; the next rebuild drops it.
        if (error.code !== 'ENOENT') throw error
      })
      if (performance.now() < reportAt) continue
      reportMs = Math.min(2 * reportMs, MAX_REPORT_MS)
      reportAt = performance.now() + reportMs
      await report()
      await sweep()
    }
    if (!isClosed) await report()
  }

  /** Takes a random picture, once the pages are prepared. So several processes rarely make the same sizes at once. */
  async function takeAny(): Promise<PictureFile | undefined> {
    await pages.prepared()
    const keys = [...waiting.keys()]
    const key = keys[Math.floor(Math.random() * keys.length)]
    const picture = key === undefined ? undefined : waiting.get(key)
    if (key !== undefined) waiting.delete(key)
    return picture
  }

  async function make(picture: PictureFile): Promise<void> {
    const facts = index.find(picture)
    const sizes = await maker.makeSizes(picture.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code) throw error
      return { problem: `has no smaller sizes: ${error.message.split('\n')[0]}` }
    })
    if (!isClosed && facts) index.set(picture, { ...facts, sizes })
  }

  async function report(): Promise<void> {
    await index.save().catch((error) => log.warn({ err: error }, 'could not save the facts about pictures'))
    pages.changed()
  }

  async function sweep(): Promise<void> {
    const isUsed = (name: string) => {
      const key = name.slice(0, name.lastIndexOf('-'))
      return sources.has(key) || formerKeys.has(key)
    }
    const bytes = await store.sweep(isUsed, MAX_STORE_BYTES).catch(() => 0)
    if (bytes > MAX_STORE_BYTES && !isFull)
      log.warn('the sizes of pictures take more than 2 GiB: no further sizes are made')
    isFull = bytes > MAX_STORE_BYTES
  }

  return {
    index,
    sizesOf(picture) {
      const sizes = index.find(picture)?.sizes
      if (!sizes) {
        waiting.set(picture.file, picture)
        if (isMaking || isFull || isClosed || performance.now() < retryAt) return undefined
        isMaking = true
        makeWaiting()
          .catch((error) => {
            retryAt = performance.now() + RETRY_INTERVAL_MS
            log.error({ err: error }, 'could not make the sizes of pictures')
          })
          .finally(() => {
            isMaking = false
          })
      }
      if (!sizes || 'problem' in sizes) return undefined
      addSource(sizes.key, picture)
      return sizes
    },

    async readSize(name) {
      const made = await store.read(name)
      if (made) return made
      const [source] = sources.get(name.slice(0, name.lastIndexOf('-')))?.values() ?? []
      // Never decodes a picture for a size that was not made.
      if (!source || !isSizeOf(index.find(source)?.sizes, name)) return undefined
      const sizes = await shareRemaking(source.file, () => maker.makeSizes(source.path))
      return 'key' in sizes ? store.read(name) : undefined
    },

    async readCard(name, card) {
      return (await store.read(name)) ?? shareDrawing(name, () => draw(name, card))
    },

    close() {
      isClosed = true
      clearInterval(sweeping)
      maker.close()
    },
  }

  /** A file that was replaced is no longer a source of its former sizes. */
  function addSource(key: string, picture: PictureFile): void {
    const former = keys.get(picture.file)
    if (former !== undefined && former !== key) {
      const files = sources.get(former)
      files?.delete(picture.file)
      if (files?.size === 0) sources.delete(former)
      formerKeys.delete(former)
    }
    keys.set(picture.file, key)
    const files = sources.get(key) ?? new Map<string, PictureFile>()
    sources.set(key, files.set(picture.file, picture))
  }

  async function draw(name: string, card: CardFacts): Promise<Buffer> {
    const failure = failures.get(name)
    if (failure && failure.until > performance.now()) throw failure.error
    const drawn = await maker.drawCard(card).catch((error) => {
      if (!(error instanceof TooManyCards))
        failures.set(name, { error, until: performance.now() + FAILURE_RETENTION_MS })
      throw error
    })
    await store.write(name, drawn).catch((error) => log.warn({ err: error }, 'could not store a social card'))
    return drawn
  }
}
