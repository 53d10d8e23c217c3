import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { htmlOf, render } from './rendering.ts'

const fence = (info: string, ...lines: string[]) => htmlOf(`\`\`\`${info}\n${lines.join('\n')}\n\`\`\``)
const linesOf = (html: string) =>
  [...html.matchAll(/<(span|mark|ins|del) class="(line[^"]*)">(.*)<\/\1>/g)].map(([, ...parts]) => parts.join('|'))

describe('a block of code', () => {
  it('names its language in a class', () => {
    assert.equal(fence('ts', 'a'), '<pre tabindex="0" data-language="ts"><code class="language-ts">a\n</code></pre>\n')
    assert.equal(fence('', 'a'), '<pre tabindex="0"><code>a\n</code></pre>\n')
  })

  it('needs no language before its options', () => {
    assert.equal(
      fence('title="a b.txt"', 'x'),
      '<figure class="code-figure"><figcaption>a b.txt</figcaption><pre tabindex="0"><code>x\n</code></pre>\n</figure>\n',
    )
    assert.match(
      fence('lineNumbers title="a"', 'x'),
      /<figcaption>a<.*<pre class="lines numbered" tabindex="0"><code><span/,
    )
    assert.match(fence('diff title="a"', '+x'), /<figcaption>a<.* data-language="diff"/)
  })

  it('has marked lines', () => {
    const marked = linesOf(fence('ts {2,4-5}', 'a', 'b', 'c', 'd', 'e'))
    assert.deepEqual(marked, ['span|line|a', 'mark|line|b', 'span|line|c', 'mark|line|d', 'mark|line|e'])
    assert.deepEqual(linesOf(fence('ts{1}', 'a', 'b')), ['mark|line|a', 'span|line|b'])
    for (const numbers of ['{}', '{0}', '{9-2}', '{a}', '{-}', '{99999999999999999999}'])
      assert.ok(!fence(`ts ${numbers}`, 'a').includes('<mark'), numbers)
  })

  it('has added and removed lines without their marks, beside a language', () => {
    const html = fence('ts diff', ' a', '-b', '+c', '', '  d')
    assert.deepEqual(linesOf(html), ['span|line|a', 'del|line|b', 'ins|line|c', 'span|line|', 'span|line| d'])
    assert.match(html, /<pre class="lines changes" tabindex="0" data-language="ts">/)
  })

  it('keeps the marks of a patch', () => {
    const html = fence('diff', '--- a', '+++ b', '-x', '+y', ' z')
    assert.deepEqual(linesOf(html), [
      'span|line|--- a',
      'span|line|+++ b',
      'span|line removed|-x',
      'span|line added|+y',
      'span|line| z',
    ])
  })

  it('has numbered lines, whose numbers are not part of the text', () => {
    const html = fence('ts lineNumbers', 'a', '', 'b')
    assert.match(html, /<pre class="lines numbered"/)
    assert.equal(html.replace(/<[^>]*>/g, ''), 'a\n\nb\n')
  })

  it('has a title', () => {
    assert.match(
      fence('ts title="src/a \\"b\\" <c>.ts" {1}', 'x'),
      /^<figure class="code-figure"><figcaption>src\/a &quot;b&quot; &lt;c&gt;\.ts<\/figcaption><pre [\s\S]*<\/pre>\s*<\/figure>\n$/,
    )
    assert.doesNotMatch(fence('ts title=""', 'x'), /figure/)
  })

  it('names words that are no option, and lines that it does not have', () => {
    const warningsOf = (info: string) =>
      render(`Text\n\n> \`\`\`${info}\n> a\n> b\n> \`\`\`\n`).warnings.map(({ line, problem }) => `${line}: ${problem}`)
    for (const info of [
      '',
      'ts',
      'ts {1,2} title="{9} x" lineNumbers diff',
      'ts{1-2}',
      'diff',
      'ts title=""',
      'title="a b"',
      'lineNumbers',
    ])
      assert.deepEqual(warningsOf(info), [], info)
    const known = 'known are {2,4-6}, title="…", lineNumbers and diff'
    assert.deepEqual(warningsOf('ts {99} foo=bar linenumbers'), [
      '3: {99} cannot be marked: the code has 2 lines, and lines are written as in {2,4-6}',
      `3: "foo=bar" is no option of a block of code: ${known}`,
      '3: "linenumbers" is no option of a block of code: did you mean "lineNumbers"?',
    ])
    for (const info of ['ts {}', 'ts {0}', 'ts {2-1}', 'ts {1-3}', 'ts {a}', 'ts title=x', `ts ${'x'.repeat(1e5)}`])
      assert.equal(warningsOf(info).length, 1, info.slice(0, 40))
    assert.equal(warningsOf(`ts ${'x '.repeat(1e5)}`).length, 5)
    assert.ok(JSON.stringify(warningsOf(`ts ${'x'.repeat(1e5)}`)).length < 200)
  })

  it('of a diagram is shown as code', () => {
    assert.match(fence('mermaid', 'graph TD', 'A --> B'), /<code class="language-mermaid">graph TD\nA --&gt; B\n/)
  })
})
