import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import type { Config } from '../../src/config/config.ts'
import { createCalendarSource } from '../../src/content/calendar.ts'
import { createPublisher, type Publisher } from '../../src/publishing/publisher.ts'
import { LazyResponse } from '../../src/publishing/response-cache.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { markdown } from '../support/site.ts'

const FEEDS = ['/feed.xml', '/feed.json']
const saved = { read: async () => undefined, write: async () => {} }
const highlightCache = { read: async () => new Map(), add: async () => {}, remove: async () => {} }

/** The publisher of a site with a post `first`, and a function that writes a post. */
async function startPublisher(t: TestContext) {
  const folder = await temporaryFolder(t)
  const contentDir = join(folder, 'content')
  await mkdir(join(contentDir, 'posts'), { recursive: true })
  const write = (name: string, fields: { draft?: boolean } = {}) =>
    writeFile(join(contentDir, `posts/${name}.md`), markdown({ title: name, date: '2026-01-01', ...fields }))
  await write('first')
  const log = pino({ enabled: false })
  const config = {
    baseUrl: 'https://site.example',
    contentDir,
    dataDir: folder,
    mode: 'production',
    mail: {},
  } as Config
  const calendar = createCalendarSource(saved, undefined, { changed() {}, failed() {} })
  const publisher = await createPublisher({ config, descriptions: new Map(), calendar, highlightCache, log })
  cleanUp(t, () => publisher.close())
  return { publisher, write }
}

describe('in production', () => {
  it('the feeds are prepared before their first request, and before new content is published', async (t) => {
    const { publisher, write } = await startPublisher(t)
    // The search is ready after the content analysis, which follows the preparation of the feeds.
    await publisher.search('any')
    assert.deepEqual(
      FEEDS.map((path) => isReady(publisher, path)),
      [true, true],
    )

    await write('second')
    publisher.refresh()
    while (!publisher.has('/blog/second')) await setImmediate()
    assert.deepEqual(
      FEEDS.map((path) => isReady(publisher, path)),
      [true, true],
    )
    assert.equal(isReady(publisher, '/sitemap.xml'), false)
  })

  it('a post that became a draft is found by no search, also before the new content is analysed', async (t) => {
    const { publisher, write } = await startPublisher(t)
    assert.deepEqual(await found(publisher, 'words'), ['/blog/first'])
    await write('first', { draft: true })
    await write('second')
    publisher.refresh()
    while (publisher.has('/blog/first')) await setImmediate()
    const paths = await found(publisher, 'words')
    assert.ok(!paths.includes('/blog/first'), paths.join())
  })
})

async function found(publisher: Publisher, words: string): Promise<string[]> {
  const result = await publisher.search(words)
  assert.ok(result)
  return result.pages.map(({ page }) => page.path)
}

function isReady(publisher: Publisher, path: string): boolean {
  const response = publisher.find(path)
  assert.ok(response instanceof LazyResponse)
  return response.ready !== undefined
}
