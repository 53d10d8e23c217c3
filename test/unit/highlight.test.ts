import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createHighlighter } from '../../src/content/highlight.ts'
import { cleanUp } from '../support/clean-up.ts'

const CODE = "const answer = 'forty-two'"

/** A cache in memory, and the keys of each call that added code. */
function memoryCache(stored = new Map<string, string>()) {
  const added: string[][] = []
  const cache = {
    read: async () => new Map(stored),
    async add(entries: [string, string][]) {
      added.push(entries.map(([key]) => key))
      for (const [key, value] of entries) stored.set(key, value)
    },
    async remove(keys: string[]) {
      for (const key of keys) stored.delete(key)
    },
  }
  return { cache, stored, added }
}

/** The highlighted code, and the cache entries after it. */
async function highlight(before?: Map<string, string>) {
  const { cache, stored } = memoryCache(before)
  const highlighter = await createHighlighter(cache)
  highlighter.toHtml(CODE, 'ts')
  const isNew = await highlighter.highlightMissing()
  return { html: highlighter.toHtml(CODE, 'ts'), css: highlighter.css(), stored, isNew }
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
    const second = await highlight(first.stored)
    assert.deepEqual([second.isNew, second.html, second.css], [false, first.html, first.css])
    assert.match(first.css, /^\.c\w+\{color:/)
  })

  it('stays plain if it takes too long, and the code after it is coloured', async () => {
    const highlighter = await createHighlighter(memoryCache().cache, 3_000)
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
    const { cache, added } = memoryCache()
    const highlighter = await createHighlighter(cache)
    highlighter.toHtml(CODE, 'ts')
    assert.deepEqual(await Promise.all([highlighter.highlightMissing(), highlighter.highlightMissing()]), [true, true])
    assert.deepEqual(
      added.map((keys) => keys.length),
      [1],
    )
    assert.match(highlighter.toHtml(CODE, 'ts'), /<span class="c\w+">const<\/span>/)
    assert.equal(await highlighter.highlightMissing(), false)
  })

  it('removes the cache entries of code that was not rendered since the start', async () => {
    const { cache, stored } = memoryCache()
    for (let start = 0; start < 3; start++) {
      const highlighter = await createHighlighter(cache)
      for (const code of ['let always = 1', `let edit = ${start}`]) highlighter.toHtml(code, 'js')
      assert.equal(await highlighter.highlightMissing(), true)
      assert.equal(stored.size, 2)
    }
  })

  it('adds only new code to the cache, and long code while the rest is highlighted', async () => {
    const { cache, stored, added } = memoryCache()
    const first = await createHighlighter(cache)
    first.toHtml(CODE, 'ts')
    await first.highlightMissing()
    const second = await createHighlighter(cache)
    second.toHtml(CODE, 'ts')
    const long = (name: string) => `const ${name} = 1\n`.repeat(1_000)
    for (const name of ['a', 'b', 'c']) second.toHtml(long(name), 'ts')
    await second.highlightMissing()
    assert.deepEqual(
      added.map((keys) => keys.length),
      [1, 1, 1, 1],
    )
    assert.equal(stored.size, 4)
    const third = await createHighlighter(cache)
    assert.equal(third.toHtml(long('b'), 'ts'), second.toHtml(long('b'), 'ts'))
  })

  it('is added to the cache in limited numbers, also when all of it stays plain', async () => {
    const { cache, stored, added } = memoryCache()
    const highlighter = await createHighlighter(cache)
    for (let number = 0; number < 450; number++) highlighter.toHtml(`block ${number}`, 'no-language')
    await highlighter.highlightMissing()
    assert.deepEqual(
      added.map((keys) => keys.length),
      [200, 200, 50],
    )
    assert.equal(stored.size, 450)
  })

  it('stays in the cache when it comes into use while unused code is removed', async () => {
    const { cache, stored } = memoryCache()
    const first = await createHighlighter(cache)
    const block = (number: number) => `let block = ${number}`
    for (let number = 0; number < 700; number++) first.toHtml(block(number), 'js')
    await first.highlightMissing()
    const { remove } = cache
    cache.remove = async (keys) => {
      second.toHtml(block(0), 'js')
      await remove(keys)
    }
    const second = await createHighlighter(cache)
    second.toHtml(CODE, 'ts')
    await second.highlightMissing()
    assert.equal(stored.size, 2)
    assert.equal(second.toHtml(block(0), 'js'), first.toHtml(block(0), 'js'))
    assert.equal(second.hasMissing(), false)
  })

  it('is highlighted anew when the cache entry is of another version of the highlighter', async () => {
    // A possible entry of the first version for this code: highlighting stopped half-way.
    const entry = JSON.stringify({ lines: [CODE], rules: [] })
    const { html, stored, isNew } = await highlight(new Map([[FIRST_VERSION, entry]]))
    assert.equal(isNew, true)
    assert.match(html, /<span class="c\w+">const<\/span>/)
    assert.equal(stored.has(FIRST_VERSION), false)
  })
})
