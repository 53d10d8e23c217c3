import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import { createDocumentRenderer } from '../../src/content/document-renderer.ts'
import { createRenderer } from '../../src/content/markdown.ts'
import { createRenderThread, RenderLimitError } from '../../src/content/render-threads.ts'
import { metadataAndCodeOf } from '../../src/content/serialized-metadata.ts'
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
const SLOW = '- a\n'.repeat(120_000)

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
    assert.deepEqual(await renderer.readMetadata(LONG, false), metadataAndCodeOf(here(LONG)))
    assert.deepEqual(await renderer.readMetadata(PARTS[0] ?? '', true), metadataAndCodeOf(here(PARTS[0] ?? '')))
  })

  it('of half a megabyte does not block the event loop', async (t) => {
    const renderer = createDocumentRenderer()
    cleanUp(t, () => renderer.close())
    // The time of the thread, in which the work is done, and not of the event loop.
    const before = process.cpuUsage()
    const blocked = await blockedMs(() => Promise.all([renderer.render(SLOW), renderer.readMetadata(SLOW, false)]))
    const spentMs = process.cpuUsage(before).user / 1000
    assert.ok(blocked < spentMs / 4, `blocked for ${blocked} of ${spentMs} ms`)
  })

  it('is rendered once for concurrent requests, and is kept if it is not too long', async (t) => {
    const thread = createRenderThread('normal')
    let count = 0
    const pageThread: typeof thread = {
      ...thread,
      render(markdown, result) {
        count += 1
        return thread.render(markdown, result)
      },
    }
    const renderer = createDocumentRenderer({ pageThread })
    cleanUp(t, () => renderer.close())
    const [first, second] = await Promise.all([renderer.render(LONG), renderer.render(LONG)])
    assert.equal(first, second)
    assert.equal(await renderer.render(LONG), first)
    assert.equal(count, 1)
  })

  it('that takes too long is rejected and not tried again', async (t) => {
    const limit = { cpuLimitMs: 500 }
    const renderer = createDocumentRenderer({
      longPageThread: createRenderThread('normal', limit),
      analysisThread: createRenderThread('low', limit),
    })
    cleanUp(t, () => renderer.close())
    await assert.rejects(renderer.render(SLOW), RenderLimitError)
    await assert.rejects(renderer.readMetadata(SLOW, false), RenderLimitError)
    const since = performance.now()
    await assert.rejects(renderer.render(SLOW), RenderLimitError)
    await assert.rejects(renderer.readMetadata(SLOW, false), RenderLimitError)
    assert.ok(performance.now() - since < 400)
  })

  it('delays no page that is shorter, nor does the content analysis', async (t) => {
    const renderer = createDocumentRenderer()
    cleanUp(t, () => renderer.close())
    const order: string[] = []
    await Promise.all([
      renderer.render(SLOW).then(() => order.push('page')),
      renderer.readMetadata(SLOW, false).then(() => order.push('analysis')),
      renderer.render(LONG).then(() => order.push('shorter page')),
    ])
    assert.equal(order[0], 'shorter page')
  })

  it('that takes too much memory is rejected, and does not end the process', async (t) => {
    const thread = createRenderThread('normal', { maxHeapMb: 30 })
    cleanUp(t, () => thread.close())
    await assert.rejects(thread.render(SLOW, 'document'), RenderLimitError)
    const since = performance.now()
    await assert.rejects(thread.render(SLOW, 'document'), RenderLimitError)
    assert.ok(performance.now() - since < 100)
    assert.deepEqual((await thread.render('text', 'document')).html, ['<p dir="auto">text</p>\n'])
  })

  it('is rejected when the renderer is closed', async () => {
    const renderer = createDocumentRenderer()
    const rendering = renderer.render(SLOW)
    renderer.close()
    await assert.rejects(rendering, { name: 'AbortError' })
  })
})

describe('many short documents', () => {
  it('are rendered without a thread if none can be started', async () => {
    const errors: unknown[] = []
    let tries = 0
    const analysisThread = {
      render() {
        tries += 1
        return Promise.reject(new Error('EAGAIN'))
      },
      close() {},
    }
    const renderer = createDocumentRenderer({ analysisThread, onNoThread: (error) => errors.push(error) })
    for (const text of ['one', 'two', 'three'])
      assert.deepEqual(await renderer.readMetadata(text, true), metadataAndCodeOf(here(text)))
    assert.deepEqual([errors.length, tries], [1, 1])
    await assert.rejects(renderer.readMetadata(LONG, true), /EAGAIN/)
    renderer.close()
  })
})

describe('a thread', () => {
  for (const priority of ['normal', 'low'] as const) {
    it(`of ${priority} priority renders one document after another`, async (t) => {
      const thread = createRenderThread(priority)
      cleanUp(t, () => thread.close())
      const texts = Array.from({ length: 10 }, (_, number) => `text ${number}`)
      const rendered = await Promise.all(texts.map((text) => thread.render(text, 'document')))
      assert.deepEqual(
        rendered.map(({ html }) => html),
        texts.map((text) => [`<p dir="auto">${text}</p>\n`]),
      )
    })
  }

  it('renders the shortest of the documents that wait first', async (t) => {
    const thread = createRenderThread('normal')
    cleanUp(t, () => thread.close())
    const order: number[] = []
    await Promise.all(
      [5, 3000, 2000, 3001, 10].map(async (length) => {
        await thread.render('a'.repeat(length), 'document')
        order.push(length)
      }),
    )
    // The first document was rendered before the others waited.
    assert.deepEqual(order, [5, 10, 2000, 3000, 3001])
  })

  it('goes on after a document that cannot be rendered', async (t) => {
    const thread = createRenderThread('normal')
    cleanUp(t, () => thread.close())
    const results = await Promise.allSettled([
      thread.render({ length: 4 } as unknown as string, 'document'),
      thread.render('text', 'document'),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    )
  })
})
