import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createHighlighter, type HighlightedCode } from '../../src/content/highlight.ts'
import { cleanUp } from '../support/clean-up.ts'

const CODE = "const answer = 'forty-two'"

/** The highlighted code, and the cache entries after it. */
async function highlight(kept: Record<string, HighlightedCode> = {}) {
  let written: Record<string, HighlightedCode> = {}
  const highlighter = await createHighlighter({
    read: async () => kept,
    write: async (highlighted) => {
      written = highlighted
    },
  })
  highlighter.toHtml(CODE, 'ts')
  const isNew = await highlighter.highlightMissing()
  return { html: highlighter.toHtml(CODE, 'ts'), written, isNew }
}

/** Every read of the clock is a second later. */
function slowDown(test: TestContext): void {
  let now = Date.now()
  test.mock.method(Date, 'now', () => (now += 1000))
}

const FIRST_VERSION = 'YOt--wn5qByHU76buCCq3N'

describe('highlighted code', () => {
  it('is coloured to the end of the line, however slow the machine', async (test) => {
    slowDown(test)
    const { html } = await highlight()
    assert.match(html, /<span class="c\w+">const<\/span>/)
    assert.match(html, /<span class="c\w+">\s*&#39;forty-two&#39;<\/span>/)
  })

  it('is coloured under node --watch too', async (t) => {
    process.env.WATCH_REPORT_DEPENDENCIES = '1'
    cleanUp(t, () => delete process.env.WATCH_REPORT_DEPENDENCIES)
    assert.match((await highlight()).html, /<span class="c\w+">const<\/span>/)
  })

  it('is highlighted once, and then read from the cache', async () => {
    const first = await highlight()
    assert.equal(first.isNew, true)
    const second = await highlight(first.written)
    assert.deepEqual([second.isNew, second.html], [false, first.html])
  })

  it('stays plain if it takes too long, and the code after it is coloured', async () => {
    const highlighter = await createHighlighter({ read: async () => ({}), write: async () => {} }, 3_000)
    const slow = `${'<'.repeat(1900)}\n`.repeat(20)
    for (const [code, language] of [
      [slow, 'bash'],
      [CODE, 'ts'],
    ] as const)
      highlighter.toHtml(code, language)
    assert.equal(await highlighter.highlightMissing(), true)
    assert.doesNotMatch(highlighter.toHtml(slow, 'bash'), /<span/)
    assert.match(highlighter.toHtml(CODE, 'ts'), /<span class="c\w+">const<\/span>/)
    assert.equal(highlighter.hasMissing(), false)
  })

  it('is highlighted and cached once, also for two concurrent calls', async () => {
    const written: Record<string, HighlightedCode>[] = []
    const highlighter = await createHighlighter({
      read: async () => ({}),
      write: async (highlighted) => {
        written.push(highlighted)
      },
    })
    highlighter.toHtml(CODE, 'ts')
    assert.deepEqual(await Promise.all([highlighter.highlightMissing(), highlighter.highlightMissing()]), [true, true])
    assert.deepEqual(
      written.map((highlighted) => Object.keys(highlighted).length),
      [1],
    )
    assert.match(highlighter.toHtml(CODE, 'ts'), /<span class="c\w+">const<\/span>/)
    assert.equal(await highlighter.highlightMissing(), false)
  })

  it('removes the cache entries of code that was not rendered since the start', async () => {
    let kept: Record<string, HighlightedCode> = {}
    for (let start = 0; start < 3; start++) {
      const highlighter = await createHighlighter({
        read: async () => kept,
        write: async (highlighted) => {
          kept = highlighted
        },
      })
      for (const code of ['let always = 1', `let edit = ${start}`]) highlighter.toHtml(code, 'js')
      assert.equal(await highlighter.highlightMissing(), true)
      assert.equal(Object.keys(kept).length, 2)
    }
  })

  it('is highlighted anew when the cache entry is of another version of the highlighter', async () => {
    // A possible entry of the first version for this code: highlighting stopped half-way.
    const kept: Record<string, HighlightedCode> = { [FIRST_VERSION]: { lines: [CODE], rules: [] } }
    const { html, written, isNew } = await highlight(kept)
    assert.equal(isNew, true)
    assert.match(html, /<span class="c\w+">const<\/span>/)
    assert.equal(Object.hasOwn(written, FIRST_VERSION), false)
  })
})
