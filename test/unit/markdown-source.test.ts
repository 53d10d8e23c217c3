import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { render } from './rendering.ts'

const rewritten = (markdown: string) => render(markdown).toMarkdown((address) => `{${address}}`)

describe('the published markdown', () => {
  for (const [written, published] of [
    ['[a](b.md) [c](<d e.md> "t")', '[a]({b.md}) [c]({d%20e.md} "t")'],
    ['[a][r]\n\n[r]: b.md "t"', '[a][r]\n\n[r]: {b.md} "t"'],
    ['> [r\n> s]:\n> b.md', '> [r\n> s]:\n> {b.md}'],
    ['> - [a](b.md)\n>   [c](d.md)\nlazy [e](f.md)', '> - [a]({b.md})\n>   [c]({d.md})\nlazy [e]({f.md})'],
    ['1. # 1 [a](1.md) #', '1. # 1 [a]({1.md}) #'],
    [
      '| [a\\|b](c.md) | [a](c.md) |\n|---|---|\n| \\| [d](e.md) | x |',
      '| [a\\|b]({c.md}) | [a]({c.md}) |\n|---|---|\n| \\| [d]({e.md}) | x |',
    ],
    ['[![p](q.png)](b.md) ![r](s.md)', '[![p]({q.png})]({b.md}) ![r]({s.md})'],
    [
      '![a ![b](c.png)](<d e.png> "t") ![f][g]\n\n[g]: h.png',
      '![a ![b]({c.png})]({d%20e.png} "t") ![f][g]\n\n[g]: {h.png}',
    ],
    ['`![a](b.png)` \\![a](b.png)\n\n    ![a](b.png)', '`![a](b.png)` \\![a]({b.png})\n\n    ![a](b.png)'],
    ['`[a](b.md)` \\[a](b.md) [a](b.md', '`[a](b.md)` \\[a](b.md) [a](b.md'],
    ['[a <!-- ] --> b](c.md)', '[a b]({c.md})'],
    // Cells beyond the columns of the table are not shown.
    ['| a |\n|---|\n| b | <!-- c --> | d <!-- e --> |\n\nf', '| a |\n|---|\n| b |  | d  |\n\nf'],
    ['| a |\n|---|\n| b | <!-- c | d', '| a |\n|---|\n| b | '],
    ['a | b\n-|-\n1 | 2 | 3 | <!-- c --> | [d](e.md)', 'a | b\n-|-\n1 | 2 | 3 |  | [d](e.md)'],
    ['[a]: \u00a0<!--c-->\n\nx', 'x'],
    ['    [a](b.md)\n\n```\n[a](b.md)\n```', '    [a](b.md)\n\n```\n[a](b.md)\n```'],
    ['a<!---->b <!--> c <!---> d', 'ab c d'],
    ['text <!-- c --> \nnext', 'text \nnext'],
    ['- <!-- c -->\n  x', '- \n  x'],
    ['a\n\n[//]: # (c)\n\nb', 'a\n\nb'],
    ['a\n\n[comment]: <> "c\nc"\nb', 'a\n\nb'],
    ['[c]: #\n\nx', 'x'],
    ['[c]:\n<>\n\nx', 'x'],
    ['[a]: b.md\n[//]: # (c)\n[d]: e.md', '[a]: {b.md}\n\n[d]: {e.md}'],
    ['> [//]: # (c)\n> a\n- [//]: # (c)', '> \n> a\n- '],
    ['[a <!-- c -->]: b.md\n\nx', 'x'],
    ['[a]: b.md "<!-- c -->"\n\nx', 'x'],
    ['[a]: b<!--c-->.md\n\nx', 'x'],
    ['[a]: #b\n[c]: b.md#', '[a]: {#b}\n[c]: {b.md#}'],
    ['    [//]: # (c)\n\n`[//]: # (c)`', '    [//]: # (c)\n\n`[//]: # (c)`'],
    ['```ts <!-- c --> x <!-- c -->\n<!-- d -->\n```', '```ts x \n<!-- d -->\n```'],
    [
      'a[^1]\n\n[^1]: [b](c.md)\n    lazy [d](e.md)\n\n    [f](g.md)',
      'a[^1]\n\n[^1]: [b]({c.md})\n    lazy [d]({e.md})\n\n    [f]({g.md})',
    ],
    ['> [^1]: [b](c.md) <!-- d -->\n\n[^1] [^x]: b.md', '> [^1]: [b]({c.md}) \n\n[^1] [^x]: b.md'],
    ['> [!NOTE]\n> [a](b.md)\n> [a](b.md)', '> [!NOTE]\n> [a]({b.md})\n> [a]({b.md})'],
    ['> > [!TIP]\n> > ![p](q.png "t") [a](b.md)', '> > [!TIP]\n> > ![p]({q.png} "t") [a]({b.md})'],
    [
      '[a](b.md)\n: [a](b.md)\n: ==[c](d.md)==\n\n    [e](f.md)',
      '[a]({b.md})\n: [a]({b.md})\n: ==[c]({d.md})==\n\n    [e]({f.md})',
    ],
    [
      '[![p](q.png "[a](b.md)")](c.md)\n\n![p](q.png "[a](b.md)")',
      '[![p]({q.png} "[a](b.md)")]({c.md})\n\n![p]({q.png} "[a](b.md)")',
    ],
    ['$[a](b.md)$ [c](d.md)\n\n$$\n[a](b.md)\n$$', '$[a](b.md)$ [c]({d.md})\n\n$$\n[a](b.md)\n$$'],
    ['> ~~~ <!-- c\n> ```js <!-- d -->\n> ~~~', '> ~~~ \n> ```js <!-- d -->\n> ~~~'],
  ] as const) {
    it(`of ${JSON.stringify(written)} has its URLs rewritten and no comments`, () => {
      assert.equal(rewritten(`${written}\n`), `${published}\n`)
    })
  }

  it('is the source with only the URLs changed, where there are no comments', () => {
    const pieces = fc.constantFrom(
      ...[
        '<!--',
        '-->',
        '[a](b.md)',
        '[r]: c.md',
        '[r]',
        '`',
        '```',
        '\n',
        '\n\n',
        '> ',
        '- ',
        '    ',
        '\t',
        '|',
        '|-|',
      ],
      ...[
        '# ',
        '![',
        ']',
        '(',
        '\\',
        '*',
        'x',
        ' ',
        '<',
        '1. ',
        '===',
        '&lt;',
        '[^r]: ',
        '[^r]',
        '> [!TIP]\n',
        ': ',
        '==',
        '$',
        '$$',
        'é',
        '\u{1f600}',
      ],
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const source = parts.join('')
        const { toMarkdown, links, openComments, html } = render(source)
        for (const line of openComments) assert.ok(line >= 1 && line <= source.split('\n').length)
        assert.ok(!html.includes('<!--'))
        // The addresses of definitions that are comments: [//]: # and [//]: <>
        if (source.includes('<!--') || /\]:\s*(?:#|<>)/.test(source)) return
        assert.equal(
          toMarkdown(() => undefined),
          source,
        )
        const elsewhere = render(toMarkdown(() => 'z.md'))
        assert.deepEqual(
          elsewhere.links,
          links.map(({ line }) => ({ address: 'z.md', line })),
        )
      }),
      { numRuns: 2000 },
    )
  })
})

describe('rendering', () => {
  // CPU time of this process, which does not depend on the load of the machine.
  function cost(markdown: string): number {
    const before = process.cpuUsage()
    render(markdown).toMarkdown(() => undefined)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }

  const UNCLOSED = [
    '<!--',
    '<!--\n',
    '- <!--\n',
    '> <!--\n\n',
    '> - <!--\n',
    'a <!--\n\n',
    '[<!--',
    '*<!-- *',
    '| <!-- ',
  ]
  const MANY = [
    'x<!---->',
    '<!-- x --> y\n',
    '[a](b.md) ',
    '[a]: b.md\n',
    '`<!--` ',
    '[//]: # (c)\n',
    '[a<!--]: b\n',
    '```<!--\n```\n',
  ]
  for (const piece of [...UNCLOSED, ...MANY]) {
    it(`takes time in proportion to the length of ${JSON.stringify(piece)} repeated many times`, () => {
      for (const end of ['', '\n\nend -->']) {
        cost(piece.repeat(1000) + end)
        // Eight times the length: 64 times the time if it were quadratic. A busy machine makes single tries longer.
        const isInProportion = () =>
          cost(piece.repeat(16_000) + end) < 40 * Math.max(cost(piece.repeat(2000) + end), 2000)
        assert.ok(isInProportion() || isInProportion() || isInProportion(), `with ${JSON.stringify(end)}`)
      }
    })
  }
})
