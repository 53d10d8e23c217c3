import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createDocumentRenderer } from '../../src/content/document-renderer.ts'
import type { Highlighter } from '../../src/content/highlight.ts'
import { readLibrary } from '../../src/content/library.ts'
import { createBackgroundWork } from '../../src/publishing/background-work.ts'
import { ResponseCache } from '../../src/publishing/response-cache.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { logTo } from '../support/service.ts'
import { markdown } from '../support/site.ts'
import { createBarePublications } from './bare-publication.ts'

// More than the iterations of the event loop that a content analysis of one page takes.
const ITERATIONS = 100

/** The work for a site of one page with code. `read` is called before each reading of the page. */
async function startWork(t: TestContext, read: () => Promise<void>) {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'pages'))
  await writeFile(join(folder, 'pages/about.md'), markdown({ title: 'About' }, 'Text.'))
  const library = await readLibrary(folder)
  const publication = await createBarePublications()(library, '2026-01-01')
  const renderer = createDocumentRenderer()
  cleanUp(t, () => renderer.close())
  // The waiting of the work does not keep the process alive.
  const keptAlive = setInterval(() => {}, 60_000)
  cleanUp(t, () => clearInterval(keptAlive))
  const events: string[] = []
  const highlighter: Highlighter = {
    enqueue() {},
    toHtml: () => '',
    hasMissing: () => false,
    css: () => '',
    async highlightMissing() {
      events.push('highlighted')
      return false
    },
  }
  const work = createBackgroundWork({
    renderer: {
      ...renderer,
      async readMetadata(source, isOneOfMany) {
        await read()
        events.push('read')
        return renderer.readMetadata(source, isOneOfMany)
      },
    },
    highlighter,
    responses: new ResponseCache(),
    logContent: { published() {}, analysed() {} },
    log: logTo(() => {}),
    observer: undefined,
    onHighlighted() {},
    preparesPages: false,
  })
  cleanUp(t, () => work.end())
  return { work, events, begin: () => work.begin(library, publication, performance.now()) }
}

describe('the background work', () => {
  it('highlights code after the analysis of the newest publication, which has read all documents', async (t) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { work, events, begin } = await startWork(t, () => released)
    begin()
    work.highlightSoon()
    // Ends the first analysis, before it has read a document.
    begin()
    for (let iteration = 0; iteration < ITERATIONS; iteration++) await setImmediate()
    assert.deepEqual(events, [])
    release()
    await work.prepared()
    assert.deepEqual(events, ['read', 'highlighted'])
  })

  it('highlights nothing after its end', async (t) => {
    const { work, events, begin } = await startWork(t, async () => {})
    begin()
    work.highlightSoon()
    work.end()
    await work.prepared()
    for (let iteration = 0; iteration < ITERATIONS; iteration++) await setImmediate()
    assert.ok(!events.includes('highlighted'), events.join())
  })

  it('gives the newest content analysis, or none when it takes longer than the caller waits', async (t) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { work, begin } = await startWork(t, () => released)
    begin()
    assert.equal(await work.awaitAnalysisWithin(1), undefined)
    release()
    assert.equal((await work.awaitAnalysisWithin(60_000))?.search?.pages.length, 1)
  })
})
