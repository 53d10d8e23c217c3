import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { STYLE_CLASSES } from '../../src/content/markup/math-classes.ts'
import { htmlOf, problemsOf, render } from './rendering.ts'

const tex = String.raw

describe('formulas', () => {
  it('are MathML in the text', () => {
    assert.match(
      htmlOf('Let $x^2$.'),
      /<p dir="auto">Let <math><msup><mi>x<\/mi><mn[^>]*>2<\/mn><\/msup><\/math>\.<\/p>/,
    )
    assert.match(htmlOf('$a$'), /<math><mi>a<\/mi><\/math>/)
    assert.match(htmlOf('($a$, "$b$")'), /<math>.*<math>/)
  })

  it('are blocks between lines of two dollars, and may have lines that begin like a list', () => {
    assert.match(
      htmlOf('$$\na\n- b\n+ c\n$$\nafter'),
      /<div class="math"[^>]*><math display="block"[\s\S]*<\/math><\/div>\s*<p/,
    )
    assert.match(htmlOf('$$ a $$'), /<div class="math"/)
    assert.match(htmlOf('> $$\n> a\n> $$'), /<blockquote[\s\S]*<div class="math"/)
    assert.match(htmlOf('text $$a$$ text'), /<p dir="auto">text <math display="block"/)
  })

  it('are not prices, variables of a shell or code', () => {
    for (const text of [
      'It costs $5 and $6.',
      'from $5 to $6',
      'US$5 and US$6',
      '3$, 4$',
      '$HOME and $PATH',
      '$HOME/$PATH',
      '$ a$',
      '$a $',
      '$$',
      '$',
      '$$$a$$$',
      tex`\$a\$`,
      'a $5 `b$`',
      '$$\n\na\n\n$$',
      '$$ unclosed\ntext',
    ])
      assert.doesNotMatch(htmlOf(text), /<math/, text)
    assert.match(htmlOf('`$a$`'), /<code>\$a\$<\/code>/)
    assert.equal(htmlOf('It costs $5 and $6.'), '<p dir="auto">It costs $5 and $6.</p>\n')
    assert.match(htmlOf('It costs $5, and $x$ is free.'), /It costs \$5, and <math><mi>x<\/mi><\/math> is free/)
  })

  it('with a mistake are shown as TeX, and named with their line', () => {
    const markdown = tex`a

b
$\frac{1$ and $\foo$

$$
\begin{matrix} <b>
$$`
    const html = htmlOf(markdown)
    assert.match(html, /<code class="language-tex">\\frac\{1<\/code>/)
    assert.match(html, /<pre tabindex="0"><code class="language-tex">\\begin\{matrix\} &lt;b&gt;<\/code><\/pre>/)
    const [first = '', second = '', third = '', ...others] = problemsOf(markdown)
    assert.match(first, /^4: a formula cannot be read: /)
    assert.equal(second, tex`4: a formula cannot be read: Unsupported function name: \foo`)
    assert.match(third, /^6: a formula cannot be read: /)
    assert.deepEqual(others, [])
  })

  it('have no inline style, no link, no id and no class of the author', () => {
    const formulas = [
      tex`\begin{array}{|c|c|}\hline 1 & 2 \\ \hline\hline 3 & 4 \end{array}`,
      tex`\begin{aligned} a &= b \\ c &= d \end{aligned}`,
      tex`\boxed{x} \fbox{y} \colorbox{yellow}{z} \fcolorbox{red}{blue}{w}`,
      tex`\textcolor{red}{x} \color{#123456} y`,
      tex`\raisebox{1em}{x} \mathllap{y} \rule{1em}{2em} \reflectbox{R}`,
      tex`\tag{1} x`,
      tex`\label{a} \ref{a} \eqref{a}`,
      tex`\begin{CD} A @>>> B \end{CD}`,
      tex`\cancel{x} \vec{v} \widehat{xyz} \underbrace{a}_b`,
    ]
    for (const formula of formulas) {
      const html = htmlOf(`$$\n${formula}\n$$`)
      assert.match(html, /<math/, formula)
      assert.doesNotMatch(html, / (?:style|href|id|on\w+)=|<a |<span/, formula)
    }
    assert.match(htmlOf(tex`$\textcolor{red}{x}$`), /mathcolor="#ff0000"/)
  })

  it('cannot include addresses, attributes, files or definitions', () => {
    for (const command of [
      tex`\href{https://example.com}{x}`,
      tex`\url{https://example.com}`,
      tex`\includegraphics{x.png}`,
      tex`\class{a}{x}`,
      tex`\id{a}{x}`,
      tex`\style{color:red}{x}`,
      tex`\data{a=b}{x}`,
      tex`\def\a{\a\a}\a`,
      tex`\newcommand{\a}{b}\a`,
      tex`\gdef\a{b}`,
      tex`\let\a=b`,
      tex`\csname def\endcsname\a{b}\a`,
    ])
      assert.doesNotMatch(htmlOf(`$${command}$`), /<math/, command)
  })

  it('change no later formula', () => {
    htmlOf(tex`$\gdef\frac#1#2{hacked}\global\let\sqrt=x$`)
    assert.match(htmlOf(tex`$\frac{1}{2}\sqrt{3}$`), /<mfrac>.*<msqrt>/)
  })

  it('are limited in length, nesting, and in all of a document', () => {
    assert.deepEqual(problemsOf(`$$\n${'x'.repeat(2001)}\n$$`), ['1: a formula has more than 2000 characters'])
    assert.doesNotMatch(htmlOf(`$${'x'.repeat(2001)}$`), /<math/)
    assert.match(htmlOf(`$${'{'.repeat(999)}x${'}'.repeat(999)}$`), /<math|<code/)
    const problems = problemsOf('$xxxxxxxxx$\n'.repeat(11_200))
    assert.match(String(problems[0]), /^11112: the formulas have more than 100000 characters in all/)
    assert.doesNotMatch(htmlOf(tex`$\rule{1000em}{1000em}$`), /\d{3,}em/)
  })

  it('have their TeX in the published markdown and in the search', () => {
    const source = 'a $x_1$ b\n\n$$\ny\n$$\n'
    const { toMarkdown, passages } = render(source)
    assert.equal(
      toMarkdown(() => undefined),
      source,
    )
    assert.equal(passages[0]?.text, 'a x_1 b y')
  })

  it('have a rule in the style sheet for each class that replaces a style', async () => {
    const css = await readFile(new URL('../../src/pages/styles/math.css', import.meta.url), 'utf8')
    const defined = [...css.matchAll(/^\.(m-[\w-]+) \{/gm)].map(([, name]) => name)
    assert.deepEqual(defined.sort(), [...STYLE_CLASSES.values()].sort())
  })
})
