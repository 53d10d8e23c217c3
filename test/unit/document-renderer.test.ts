import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import { createDocumentRenderer } from '../../src/content/document-renderer.ts'
import { createRenderer } from '../../src/content/markdown.ts'
import { surveyedFacts } from '../../src/content/packed-facts.ts'
import { createRenderThreads, SlowDocumentError } from '../../src/content/render-threads.ts'
import { cleanUp } from '../support/clean-up.ts'

const PARTS = [
  '# A heading\n',
  'Words with a [link](other.md), a $formula$ and a note[^1].\n\n[^1]: The note.\n',
  '<!-- secret -->\n',
  '```ts {2} title="a.ts"\nconst a = 1\nconst b = 2\n```\n',
  '- an item with code:\n\n      indented\n',
  '![a picture](picture.png "title")\n',
]
const LONG = `${PARTS.join('\n')}\n${'A paragraph of text.\n\n'.repeat(1000)}`
// Takes markdown-it more than a second.
const SLOW = '- a\n'.repeat(250_000)

const here = createRenderer()

/** The longest time for which the event loop was blocked meanwhile, in milliseconds. */
async function blockedMs(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  await work()
  delay.disable()
  return delay.max / 1e6
}

describe('a long document', () => {
  it('is rendered in a thread like a short one is rendered here', async (t) => {
    const renderer = createDocumentRenderer()
    cleanUp(t, () => renderer.close())
    assert.deepEqual(await renderer.render(LONG), here(LONG))
    assert.deepEqual(await renderer.readFacts(LONG, false), surveyedFacts(here(LONG)))
    assert.deepEqual(await renderer.readFacts(PARTS[0] ?? '', true), surveyedFacts(here(PARTS[0] ?? '')))
  })

  it('of a megabyte does not block the event loop', async (t) => {
    const renderer = createDocumentRenderer()
    cleanUp(t, () => renderer.close())
    // The time of the thread, in which the work is done, and not of the event loop.
    const before = process.cpuUsage()
    const blocked = await blockedMs(() => Promise.all([renderer.render(SLOW), renderer.readFacts(SLOW, false)]))
    const spentMs = process.cpuUsage(before).user / 1000
    assert.ok(blocked < spentMs / 4, `blocked for ${blocked} of ${spentMs} ms`)
  })

  it('is rendered once for concurrent requests, and is kept if it is not too long', async (t) => {
    const threads = createRenderThreads()
    let count = 0
    const renderer = createDocumentRenderer({
      ...threads,
      render(markdown, result) {
        count += 1
        return threads.render(markdown, result)
      },
    })
    cleanUp(t, () => renderer.close())
    const [first, second] = await Promise.all([renderer.render(LONG), renderer.render(LONG)])
    assert.equal(first, second)
    assert.equal(await renderer.render(LONG), first)
    assert.equal(count, 1)
  })

  it('that takes too long is rejected, not tried again, and delays no other', async (t) => {
    const renderer = createDocumentRenderer(createRenderThreads(500))
    cleanUp(t, () => renderer.close())
    await assert.rejects(renderer.render(SLOW), SlowDocumentError)
    const since = performance.now()
    await assert.rejects(renderer.render(SLOW), SlowDocumentError)
    await assert.rejects(renderer.readFacts(SLOW, false), SlowDocumentError)
    assert.ok(performance.now() - since < 400)
    const other = createDocumentRenderer()
    cleanUp(t, () => other.close())
    const slow = other.readFacts(SLOW, false)
    let isDone = false
    slow.then(() => {
      isDone = true
    })
    await other.render(LONG)
    assert.equal(isDone, false)
    await slow
  })

  it('is rejected when the renderer is closed', async () => {
    const renderer = createDocumentRenderer()
    const rendering = renderer.render(SLOW)
    renderer.close()
    await assert.rejects(rendering, { name: 'AbortError' })
  })
})

describe('the threads', () => {
  it('render more documents than there are threads, one after another', async (t) => {
    const threads = createRenderThreads()
    cleanUp(t, () => threads.close())
    const texts = Array.from({ length: 10 }, (_, number) => `text ${number}`)
    const rendered = await Promise.all(texts.map((text) => threads.render(text, 'document')))
    assert.deepEqual(
      rendered.map(({ html }) => html),
      texts.map((text) => [`<p dir="auto">${text}</p>\n`]),
    )
  })

  it('go on after a document that cannot be rendered', async (t) => {
    const threads = createRenderThreads()
    cleanUp(t, () => threads.close())
    await assert.rejects(threads.render(undefined as unknown as string, 'document'), TypeError)
    assert.deepEqual((await threads.render('text', 'document')).html, ['<p dir="auto">text</p>\n'])
  })
})
