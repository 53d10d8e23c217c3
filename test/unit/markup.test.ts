import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { htmlOf, render } from './rendering.ts'

describe('callouts', () => {
  it('are the five of GitHub, with a name for screen readers and a title', () => {
    for (const name of ['Note', 'Tip', 'Important', 'Warning', 'Caution']) {
      const html = htmlOf(`> [!${name.toUpperCase()}]\n> text`)
      assert.match(
        html,
        new RegExp(`^<blockquote class="callout ${name.toLowerCase()}" role="note" aria-label="${name}"`),
      )
      assert.match(html, new RegExp(`<strong>${name}</strong></p>\\s*<p>text</p>\\s*</blockquote>`))
    }
  })

  it('contain blocks, also other callouts, and may be in lists', () => {
    const html = htmlOf('- > [!note]\n  > a\n  >\n  > > [!TIP]\n  > > b\n  >\n  > ```\n  > c\n  > ```')
    assert.match(
      html,
      /<li>\s*<blockquote class="callout note"[\s\S]*<blockquote class="callout tip"[\s\S]*<p>b<\/p>[\s\S]*<pre/,
    )
  })

  it('may be without a text', () => {
    assert.match(htmlOf('> [!NOTE]'), /<strong>Note<\/strong><\/p>\s*<\/blockquote>/)
    assert.match(htmlOf('> [!NOTE]\n>\n> - a'), /<strong>Note<\/strong><\/p>\s*<ul>/)
  })

  it('are plain quotes with another name, with text in the same line, or later in the quote', () => {
    for (const quote of ['> [!DANGER]\n> a', '> [!NOTE] a', '> a\n> [!NOTE]', '> \\[!NOTE]\n> a', '> - [!NOTE]'])
      assert.doesNotMatch(htmlOf(quote), /callout/, quote)
  })

  it('take their direction from their own text', () => {
    assert.match(htmlOf('> [!NOTE]\n> שלום'), /<blockquote [^>]*dir="auto">\s*<p class="callout-title" dir="ltr">/)
  })
})

describe('figures', () => {
  it('are pictures with a title, alone in their paragraph', () => {
    assert.equal(
      htmlOf('![A *cat*](cat.png "Asleep, <b>mostly</b>")'),
      '<figure dir="auto"><img src="cat.png" alt="A cat">\n<figcaption>Asleep, &lt;b&gt;mostly&lt;/b&gt;</figcaption></figure>\n',
    )
  })

  it('are not made of other pictures', () => {
    for (const text of ['![a](b.png)', 'x ![a](b.png "c")', '![a](b.png "c") ![d](e.png "f")', '- ![a](b.png "c")'])
      assert.doesNotMatch(htmlOf(text), /<figure/, text)
  })

  it('have captions that the search finds, and pictures that are checked', () => {
    const { passages, pictures } = render('![Alt](b.png "Caption")')
    assert.equal(passages[0]?.text, 'Alt Caption')
    assert.deepEqual(pictures, [{ address: 'b.png', alt: 'Alt', line: 1 }])
  })
})

describe('definition lists and marks', () => {
  it('are lists of terms, each with one or more definitions', () => {
    assert.equal(
      htmlOf('Term\n: one\n: two *b*\n\nOther\n: three'),
      '<dl dir="auto">\n<dt>Term</dt>\n<dd>one</dd>\n<dd>two <em>b</em></dd>\n<dt>Other</dt>\n<dd>three</dd>\n</dl>\n',
    )
  })

  it('mark words between two equals signs', () => {
    assert.equal(htmlOf('a ==b *c*== d'), '<p dir="auto">a <mark>b <em>c</em></mark> d</p>\n')
    assert.equal(htmlOf('a == b == c `==d==`'), '<p dir="auto">a == b == c <code>==d==</code></p>\n')
  })
})

// Typical vectors of cross-site scripting, as text of each construct.
const VECTORS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '" onfocus="alert(1)" autofocus="',
  '</code></pre><script>alert(1)</script>',
  '</math><script>alert(1)</script>',
  '</figcaption><iframe srcdoc="<script>alert(1)</script>">',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  'javascript:alert(1)',
  '\\href{javascript:alert(1)}{x}',
  '\\text{</mtext><script>alert(1)</script>}',
  '\\html{<script>alert(1)</script>}',
  '{{constructor.constructor("alert(1)")()}}',
]
const PLACES: Record<string, (vector: string) => string> = {
  callout: (vector) => `> [!NOTE]\n> ${vector}`,
  'name of a callout': (vector) => `> [!${vector}]\n> a`,
  footnote: (vector) => `a[^1]\n\n[^1]: ${vector}`,
  'label of a footnote': (vector) => `a[^${vector.replace(/\s/g, '/')}]\n\n[^${vector.replace(/\s/g, '/')}]: b`,
  mark: (vector) => `==${vector}==`,
  'definition list': (vector) => `${vector}\n: ${vector}`,
  caption: (vector) => `![a](b.png '${vector.replaceAll("'", "\\'")}')`,
  'description of a figure': (vector) => `![${vector}](b.png "c")`,
  formula: (vector) => `$${vector}$ $\\text{${vector}}$`,
  'block formula': (vector) => `$$\n${vector}\n$$`,
  language: (vector) => `~~~${vector}\nx\n~~~`,
  'title of code': (vector) => `~~~ts title="${vector.replaceAll('"', '\\"')}"\nx\n~~~`,
  'unescaped title of code': (vector) => `~~~ts title="${vector}"\nx\n~~~`,
  'info string': (vector) => `~~~ts {${vector}} ${vector} lineNumbers\nx\n~~~`,
  'line of code': (vector) => `~~~ts {1} lineNumbers diff\n+${vector}\n~~~`,
}
// Elements and attributes that the renderer itself writes. All others would be those of an author.
const ELEMENTS =
  /^(a|blockquote|code|dd|del|dl|dt|em|figcaption|figure|hr|img|ins|li|mark|math|ol|p|path|pre|section|span|strong|sup|svg|m[a-z]+|div)$/
const ATTRIBUTES =
  /^(alt|aria-(hidden|label)|class|d|data-language|dir|fill|height|href|id|role|src|stroke(-[a-z]+)?|tabindex|viewBox|width|(math|display|form|stretchy|fence|lspace|rspace|movablelimits|separator|accent)[a-z]*)$/

describe('text in each construct', () => {
  for (const [place, write] of Object.entries(PLACES)) {
    it(`adds no element and no attribute: ${place}`, () => {
      for (const vector of VECTORS) {
        const html = htmlOf(write(vector))
        // Every `<` begins a tag of the renderer, and attributes are always in double quotes.
        const rest = html.replace(/<\/?([a-z]+)((?: [a-zA-Z-]+="[^"<>]*")*)\/?>/g, (_tag, element, attributes) => {
          assert.match(element, ELEMENTS, html)
          for (const [, name = '', value = ''] of attributes.matchAll(/ ([a-zA-Z-]+)="([^"]*)"/g)) {
            assert.match(name, ATTRIBUTES, html)
            if (name === 'href' || name === 'src') assert.doesNotMatch(value, /^\s*javascript:/i)
          }
          return ''
        })
        assert.doesNotMatch(rest, /[<>]/, html)
      }
    })
  }
})
