import { LruCache } from '../lib/lru-cache.ts'
import { createRenderer, type Rendered } from './markdown.ts'
import { type SurveyedFacts, surveyedFacts } from './packed-facts.ts'
import { createRenderThread, type RenderResults, type RenderThread, SlowDocumentError } from './render-threads.ts'

/** Renders documents without blocking the event loop for long. */
export interface DocumentRenderer {
  render(markdown: string): Promise<Rendered>
  /** The facts about a document. Those of many documents are read in a thread, however short each of them is. */
  readFacts(markdown: string, isOneOfMany: boolean): Promise<SurveyedFacts>
  /** Ends the threads. Documents that are being rendered are rejected. */
  close(): void
}

// A longer document is rendered in a thread: a megabyte takes seconds. Most documents are shorter: they take a few
// milliseconds, and a small site needs no thread.
const MAX_CHARACTERS_HERE = 16_000
// Rendered markdown is kept for pages that are made again soon, such as in another edition of the site.
const MAX_KEPT_CHARACTERS = 2 * 1024 * 1024

// Documents that have exceeded the time limit are not tried again until they change.
const MAX_SLOW_DOCUMENTS = 100

/** A page that a client waits for does not wait for the survey, which has a thread of its own. */
export function createDocumentRenderer(
  pageThread = createRenderThread('normal'),
  surveyThread = createRenderThread('low'),
): DocumentRenderer {
  const renderHere = createRenderer()
  const rendered = new LruCache<string, Rendered>(MAX_KEPT_CHARACTERS, htmlCharacters)
  const running = new Map<string, Promise<Rendered>>()
  const slow = new LruCache<string, SlowDocumentError>(MAX_SLOW_DOCUMENTS, () => 1)

  async function inThread<Result extends keyof RenderResults>(thread: RenderThread, markdown: string, result: Result) {
    const known = slow.get(markdown)
    if (known) throw known
    try {
      return await thread.render(markdown, result)
    } catch (error) {
      if (error instanceof SlowDocumentError) slow.set(markdown, error)
      throw error
    }
  }

  /** Concurrent callers share one run. */
  function shared(markdown: string): Promise<Rendered> {
    const known = running.get(markdown)
    if (known) return known
    const run = inThread(pageThread, markdown, 'document').finally(() => running.delete(markdown))
    running.set(markdown, run)
    return run
  }

  return {
    async render(markdown) {
      const known = rendered.get(markdown)
      if (known) return known
      const fresh = markdown.length > MAX_CHARACTERS_HERE ? await shared(markdown) : renderHere(markdown)
      rendered.set(markdown, fresh)
      return fresh
    },
    async readFacts(markdown, isOneOfMany) {
      return isOneOfMany || markdown.length > MAX_CHARACTERS_HERE
        ? inThread(surveyThread, markdown, 'facts')
        : surveyedFacts(renderHere(markdown))
    },
    close() {
      pageThread.close()
      surveyThread.close()
    },
  }
}

function htmlCharacters({ html }: Rendered): number {
  return html.reduce((sum, part) => sum + (typeof part === 'string' ? part : part.code).length, 0)
}
