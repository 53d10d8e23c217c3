import { LruCache } from '../lib/lru-cache.ts'
import { shareRunByKey } from '../lib/share-run.ts'
import { createRenderer, type Rendered } from './markdown.ts'
import { type SurveyedFacts, surveyedFacts } from './packed-facts.ts'
import { createRenderThread, RenderLimitError } from './render-threads.ts'

/** Renders documents without blocking the event loop for long. */
export interface DocumentRenderer {
  render(markdown: string): Promise<Rendered>
  /** The facts about a document. `isOneOfMany` reads them in a thread even if the document is short. */
  readFacts(markdown: string, isOneOfMany: boolean): Promise<SurveyedFacts>
  /** Ends the threads. Documents that are being rendered are rejected. */
  close(): void
}

interface Options {
  pageThread?: ReturnType<typeof createRenderThread>
  longPageThread?: ReturnType<typeof createRenderThread>
  /** The survey has a thread of its own: a page that a client waits for does not wait for the survey. */
  surveyThread?: ReturnType<typeof createRenderThread>
  /** Called once if no thread can be started. Then short documents are rendered without a thread. */
  onNoThread?: (error: unknown) => void
}

// A longer document is rendered in a thread: a megabyte takes seconds. Most documents are shorter: they take a few
// milliseconds, and a small site needs no thread.
const MAX_MAIN_THREAD_CHARACTERS = 16_000
// A thread finishes the document that it renders: documents that may take seconds have a thread of their own, so that
// no other page waits for them. Up to this length a document takes less than a second, whatever its markup.
const MAX_USUAL_CHARACTERS = 100_000
// Rendered markdown is kept for pages that are made again soon, such as in the next publication.
const MAX_KEPT_CHARACTERS = 2 * 1024 * 1024

export function createDocumentRenderer({
  pageThread = createRenderThread('normal'),
  longPageThread = createRenderThread('normal'),
  surveyThread = createRenderThread('low'),
  onNoThread = () => {},
}: Options = {}): DocumentRenderer {
  const renderSync = createRenderer()
  const rendered = new LruCache<string, Rendered>(MAX_KEPT_CHARACTERS, charactersOf)
  const share = shareRunByKey<Rendered>()
  let hasThreads = true
  let isClosed = false

  function inThread(markdown: string): Promise<Rendered> {
    const thread = markdown.length > MAX_USUAL_CHARACTERS ? longPageThread : pageThread
    return share(markdown, () => thread.render(markdown, 'document'))
  }

  async function readOneOfMany(markdown: string): Promise<SurveyedFacts> {
    try {
      return await surveyThread.render(markdown, 'facts')
    } catch (error) {
      if (error instanceof RenderLimitError || isClosed) throw error
      // Throws if the document is the cause.
      const facts = surveyedFacts(renderSync(markdown))
      if (hasThreads) onNoThread(error)
      hasThreads = false
      return facts
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
    async readFacts(markdown, isOneOfMany) {
      if (markdown.length > MAX_MAIN_THREAD_CHARACTERS) return surveyThread.render(markdown, 'facts')
      return isOneOfMany && hasThreads ? readOneOfMany(markdown) : surveyedFacts(renderSync(markdown))
    },
    close() {
      isClosed = true
      pageThread.close()
      longPageThread.close()
      surveyThread.close()
    },
  }
}

function charactersOf({ html, markdown }: Rendered): number {
  const ofHtml = html.map((part) => (typeof part === 'string' ? part : part.code).length)
  const ofMarkdown = markdown.map((part) => (typeof part === 'string' ? part : part.written).length)
  return [...ofHtml, ...ofMarkdown].reduce((sum, length) => sum + length, 0)
}
