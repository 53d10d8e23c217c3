import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createHighlighter, type HighlightedLines } from '../../src/content/highlight.ts'

const CODE = "const answer = 'forty-two'"

/** How the code looks when it was highlighted, and what was kept of it. */
async function highlight(kept: Record<string, HighlightedLines> = {}) {
  let written: Record<string, HighlightedLines> = {}
  const highlighter = await createHighlighter({
    read: async () => kept,
    write: async (highlighted) => {
      written = highlighted
    },
  })
  highlighter.toHtml(CODE, 'ts')
  const isNew = await highlighter.paintMissing()
  return { html: highlighter.toHtml(CODE, 'ts'), written, isNew }
}

/** Every look at the clock finds that a second has passed. */
function slowDown(test: TestContext): void {
  let now = Date.now()
  test.mock.method(Date, 'now', () => (now += 1000))
}

const FIRST_VERSION = 'YOt--wn5qByHU76buCCq3N'

describe('highlighted code', () => {
  it('is coloured to the end of the line, however slow the machine', async (test) => {
    slowDown(test)
    const { html } = await highlight()
    assert.match(html, /<span class="c\d+">const<\/span>/)
    assert.match(html, /<span class="c\d+">\s*&#39;forty-two&#39;<\/span>/)
  })

  it('is highlighted once, and then taken from what was kept', async () => {
    const first = await highlight()
    assert.equal(first.isNew, true)
    const second = await highlight(first.written)
    assert.deepEqual([second.isNew, second.html], [false, first.html])
  })

  it('is highlighted and kept once, also when two ask for it at the same time', async () => {
    const written: Record<string, HighlightedLines>[] = []
    const highlighter = await createHighlighter({
      read: async () => ({}),
      write: async (highlighted) => {
        written.push(highlighted)
      },
    })
    highlighter.toHtml(CODE, 'ts')
    assert.deepEqual(await Promise.all([highlighter.paintMissing(), highlighter.paintMissing()]), [true, true])
    assert.deepEqual(
      written.map((highlighted) => Object.keys(highlighted).length),
      [1],
    )
    assert.match(highlighter.toHtml(CODE, 'ts'), /<span class="c\d+">const<\/span>/)
    assert.equal(await highlighter.paintMissing(), false)
  })

  it('leaves nothing behind of what was highlighted before', async (test) => {
    const warnings = test.mock.method(console, 'warn', () => {})
    let kept: Record<string, HighlightedLines> = {}
    const highlighter = await createHighlighter({
      read: async () => ({}),
      write: async (highlighted) => {
        kept = highlighted
      },
    })
    for (let edit = 0; edit < 12; edit++) {
      highlighter.toHtml(`let edit = ${edit}`, 'js')
      assert.equal(await highlighter.paintMissing(), true)
      highlighter.toHtml(`let edit = ${edit}`, 'js')
    }
    // What was there before the latest edit, and what is there now.
    assert.equal(Object.keys(kept).length, 2)
    // Shiki warns when ten instances of it exist.
    assert.equal(warnings.mock.callCount(), 0)
  })

  it('is highlighted anew when it was kept by a version that highlighted otherwise', async () => {
    // What the first version kept for this very code, as it may have been: given up half-way.
    const kept: Record<string, HighlightedLines> = { [FIRST_VERSION]: [[[CODE, '#000000', '#ffffff']]] }
    const { html, written, isNew } = await highlight(kept)
    assert.equal(isNew, true)
    assert.match(html, /<span class="c\d+">const<\/span>/)
    assert.equal(Object.hasOwn(written, FIRST_VERSION), false)
  })
})
