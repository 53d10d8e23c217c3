import { LruCache } from '../lib/lru-cache.ts'
import { singleFlightByKey } from '../lib/single-flight.ts'
import { createRenderer, type Rendered } from './markdown.ts'
import { createRenderThread, RenderLimitError } from './render-threads.ts'
import { type MetadataAndCode, metadataAndCodeOf } from './serialized-metadata.ts'

/** Renders documents without blocking the event loop for long. */
export interface DocumentRenderer {
  render(markdown: string): Promise<Rendered>
  /** The metadata of a document. `isOneOfMany` renders it in a thread even if it is short. */
  readMetadata(markdown: string, isOneOfMany: boolean): Promise<MetadataAndCode>
  /** Ends the threads. Documents that are being rendered are rejected. */
  close(): void
}

interface Options {
  pageThread?: ReturnType<typeof createRenderThread>
  longPageThread?: ReturnType<typeof createRenderThread>
  /** The content analysis has a thread of its own, so that a page that a client waits for does not wait for it. */
  analysisThread?: ReturnType<typeof createRenderThread>
  /** Called once if no thread can be started. Then short documents are rendered without a thread. */
  onNoThread?: (error: unknown) => void
}

// A longer document is rendered in a thread: a megabyte takes seconds. Most documents are shorter: they take a few
// milliseconds, and a small site needs no thread.
const MAX_MAIN_THREAD_CHARACTERS = 16_000
// A thread finishes the document that it renders: documents that may take seconds have a thread of their own, so that
// no other page waits for them. Up to this length a document takes less than a second, for every markup.
const MAX_USUAL_CHARACTERS = 100_000
// Rendered markdown is kept for pages that are made again soon, such as in the next publication.
const MAX_KEPT_CHARACTERS = 2 * 1024 * 1024

export function createDocumentRenderer({
  pageThread = createRenderThread('normal'),
  longPageThread = createRenderThread('normal'),
  analysisThread = createRenderThread('low'),
  onNoThread = () => {},
}: Options = {}): DocumentRenderer {
  const renderSync = createRenderer()
  const rendered = new LruCache<string, Rendered>(MAX_KEPT_CHARACTERS, charactersOf)
  const share = singleFlightByKey<Rendered>()
  let hasThreads = true
  let isClosed = false

  function inThread(markdown: string): Promise<Rendered> {
    const thread = markdown.length > MAX_USUAL_CHARACTERS ? longPageThread : pageThread
    return share(markdown, () => thread.render(markdown, 'document'))
  }

  async function readOneOfMany(markdown: string): Promise<MetadataAndCode> {
    try {
      return await analysisThread.render(markdown, 'metadata')
    } catch (error) {
      if (error instanceof RenderLimitError || isClosed) throw error
      // Throws if the document is the cause.
      const metadata = metadataAndCodeOf(renderSync(markdown))
      if (hasThreads) onNoThread(error)
      hasThreads = false
      return metadata
    }
  }

  return {
    async render(markdown) {
      const known = rendered.get(markdown)
      if (known) return known
      const fresh = markdown.length > MAX_MAIN_THREAD_CHARACTERS ? await inThread(markdown) : renderSync(markdown)
      rendered.set(markdown, fresh)
      return fresh
    },
    async readMetadata(markdown, isOneOfMany) {
      if (markdown.length > MAX_MAIN_THREAD_CHARACTERS) return analysisThread.render(markdown, 'metadata')
      return isOneOfMany && hasThreads ? readOneOfMany(markdown) : metadataAndCodeOf(renderSync(markdown))
    },
    close() {
      isClosed = true
      pageThread.close()
      longPageThread.close()
      analysisThread.close()
    },
  }
}

function charactersOf({ html, markdown }: Rendered): number {
  const ofHtml = html.map((part) => (typeof part === 'string' ? part : part.code).length)
  const ofMarkdown = markdown.map((part) => (typeof part === 'string' ? part : part.written).length)
  return [...ofHtml, ...ofMarkdown].reduce((sum, length) => sum + length, 0)
}
