import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { htmlOf, problemsOf, render } from './rendering.ts'

describe('footnotes', () => {
  it('are numbered in the order of their first references, and listed at the end', () => {
    const html = htmlOf('a[^z] b[^y]\n\n[^y]: second\n[^z]: first\n\nlast paragraph')
    const [text = '', notes = ''] = html.split('<section')
    assert.match(text, /a<sup class="footnote"><a id="fnref:1" href="#fn:1" [^>]*>1<\/a><\/sup> b<sup .*href="#fn:2"/)
    assert.match(text, /last paragraph/)
    assert.match(notes, /<li id="fn:1" dir="auto">\s*<p>first <a [\s\S]*<li id="fn:2" dir="auto">\s*<p>second /)
  })

  it('have a link back to each reference', () => {
    const html = htmlOf('a[^1] b[^1]\n\n[^1]: note')
    const ids = [...html.matchAll(/ id="(fnref[^"]*)"/g)].map(([, id]) => id)
    const returns = [...html.matchAll(/href="#(fnref[^"]*)"/g)].map(([, id]) => id)
    assert.deepEqual(ids, ['fnref:1', 'fnref:1:2'])
    assert.deepEqual(returns, ids)
    assert.match(html, /aria-label="Back to reference 2 of footnote 1"/)
  })

  it('have paragraphs, lists and code, which are indented by four spaces', () => {
    const html = htmlOf('a[^1]\n\n[^1]: one\n\n    two\n\n    - item\n\n    ```\n    code\n    ```\n\nafter')
    assert.match(html, /<p dir="auto">after<\/p>\s*<section/)
    assert.match(
      html,
      /<p>one<\/p>\s*<p>two<\/p>\s*<ul>\s*<li>item<\/li>\s*<\/ul>\s*<pre[\s\S]*code[\s\S]*<\/pre>\s*<p[^>]*>\s*<a/,
    )
  })

  it('may refer to further footnotes, and to themselves', () => {
    const html = htmlOf('a[^1]\n\n[^1]: see[^2] and[^1]\n[^2]: two')
    assert.match(html, /<li id="fn:1"[\s\S]*href="#fn:2"[\s\S]*id="fnref:1:2"[\s\S]*<li id="fn:2"/)
  })

  it('have ids that no heading has', () => {
    const html = htmlOf('# fn 1\n\n# fnref:1\n\n# Footnotes\n\na[^1]\n\n[^1]: b')
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(ids.slice(0, 3), ['fn-1', 'fnref-1', 'footnotes'])
  })

  it('have labels of any kind, without regard to case', () => {
    for (const label of ['__proto__', 'constructor', 'toString', 'é', '1.2', '"><script>']) {
      const html = htmlOf(`a[^${label.toUpperCase()}]\n\n[^${label}]: note`)
      assert.match(html, /href="#fn:1"[\s\S]*<li id="fn:1"/, label)
      assert.doesNotMatch(html, /<script/)
    }
  })

  it('stay text without a definition and in code, and are in no other link', () => {
    assert.match(htmlOf('a [^b] c'), /<p dir="auto">a \[\^b\] c<\/p>/)
    assert.match(htmlOf('`[^1]`\n\n[^1]: b'), /<code>\[\^1\]<\/code>/)
    assert.doesNotMatch(htmlOf('[a[^1]](/b)\n\n[^1]: c'), /href="\/b"/)
    assert.match(htmlOf('[^a](/b)'), /<a href="\/b">\^a<\/a>/)
  })

  it('in the description of a picture have no reference', () => {
    assert.doesNotMatch(htmlOf('![a[^1]](b.png)\n\n[^1]: c'), /fnref|<section/)
  })

  it('are named to the author when they are missing, defined twice or not used', () => {
    assert.deepEqual(problemsOf('a\nb [^x]\n\n> [^y]: c\n\n[^z]: d\n[^Z]: e [^z]'), [
      '7: the footnote [^Z] is defined twice',
      '2: there is no footnote [^x]',
      '4: nothing refers to the footnote [^y]',
      '6: nothing refers to the footnote [^z]',
    ])
  })

  it('are a passage of their own for the search', () => {
    const { passages } = render('a[^1] b\n\n[^1]: note\n\n# Last\n\nc')
    assert.deepEqual(passages, [
      { id: '', heading: '', text: 'a b' },
      { id: 'last', heading: 'Last', text: 'c' },
      { id: 'fn:all', heading: 'Footnotes', text: 'note' },
    ])
  })
})
