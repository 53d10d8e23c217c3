import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { render } from './rendering.ts'

/** CPU time of this process in microseconds, which does not depend on the load of the machine. */
function cost(markdown: string): number {
  const before = process.cpuUsage()
  render(markdown).toMarkdown(() => undefined)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const PIECES = [
  '[^',
  '[^a]',
  '[^a]: b\n',
  '[^a]: ',
  '==',
  '==a ',
  '$',
  '$a ',
  '$$ ',
  '$$a\n',
  '- $$a\n',
  ': ',
  'a\n: ',
  '> [!NOTE]\n',
  '> [!NOTE]\n\n',
  '![a](b "c")\n\n',
]

describe('hostile markup', () => {
  for (const piece of PIECES) {
    it(`takes time in proportion to the length of ${JSON.stringify(piece)} repeated many times`, () => {
      const text = (times: number) => `[^a]: note\n\n${piece.repeat(times)}`
      cost(text(500))
      // Eight times the length: 64 times the time if it were quadratic. A busy machine makes single tries longer.
      const isInProportion = () => cost(text(8000)) < 40 * Math.max(cost(text(1000)), 2500)
      assert.ok(isInProportion() || isInProportion() || isInProportion())
    })
  }

  it('of ten thousand footnotes has all of them', () => {
    const numbers = Array.from({ length: 10_000 }, (_, number) => number)
    const references = numbers.map((number) => `a[^${number}]`).join(' ')
    const { html } = render(`${references}\n\n${numbers.map((number) => `[^${number}]: b`).join('\n')}`)
    assert.equal(html.match(/<li id="fn:/g)?.length, 10_000)
    assert.ok(html.includes('href="#fnref:10000"'))
  })

  it('that is nested a thousand times ends at the depth that markdown-it allows', () => {
    const depths = Array.from({ length: 1000 }, (_, depth) => depth)
    for (const text of [
      depths.map((depth) => `${'> '.repeat(depth)}[!NOTE]`).join('\n'),
      depths.map((depth) => `${'  '.repeat(depth)}: a`).join('\n'),
      depths.map((depth) => `${'    '.repeat(depth)}[^${depth}]: a`).join('\n'),
      `${'==a '.repeat(1000)}${'=='.repeat(1000)}`,
      `$${'\\frac{'.repeat(300)}$`,
    ])
      assert.equal(typeof render(text).html, 'string')
  })

  it('of a megabyte in one line is rendered', () => {
    for (const piece of ['==', '|$']) assert.ok(render(piece.repeat(1_000_000 / piece.length)).html.length > 0, piece)
  })

  it('of 400 kB in one line is rendered, of more kinds', () => {
    for (const piece of ['$', '[^', ': ', '$a'])
      assert.ok(render(piece.repeat(400_000 / piece.length)).html.length > 0, piece)
  })

  for (const [what, markdown] of [
    ['addresses', `[a]: /${'x'.repeat(50_000)}\n\n${'[a] '.repeat(2000)}`],
    ['addresses of pictures', `[a]: /${'x'.repeat(50_000)}\n\n${'*![a]* '.repeat(2000)}`],
    ['titles', `[a]: /x "${'x'.repeat(50_000)}"\n\n${'[a] '.repeat(2000)}`],
    ['links of footnotes', `[^a]: x\n\n${'[^a]'.repeat(100_000)}`],
  ] as const) {
    it(`does not become a page of many megabytes by ${what}`, () => {
      const { html, problems } = render(`<!-- secret -->\n${markdown}`)
      assert.ok(html.startsWith('<pre tabindex="0"><code>[') && html.length < 1_000_000, html.slice(0, 100))
      assert.deepEqual(problems, [{ line: 1, problem: 'the page is too large: its markdown is shown' }])
    })
  }
})
