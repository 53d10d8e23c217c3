import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, fileErrorsIn, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const TEXT = String.raw`A note[^1], a formula $x^2$ and $\frac{1$.

> [!WARNING]
> See [the page](../pages/page.md).

![Alt](a.png "A caption")

${'```'}ts {1} title="a.ts" diff
+let a
-let b
${'```'}

[^1]: It is [here](../pages/page.md#one), or [not](../pages/page.md#three).`

describe('the markup of a post', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const HEADINGS = '## One\n\n## Two'
    Object.assign(
      site,
      await startSite({
        'posts/post.md': markdown({ title: 'Post', date: '2026-01-01' }, TEXT),
        'posts/draft.md': markdown({ title: 'Draft', date: '2026-01-01', draft: true }, 'a[^1]\n\n[^1]: b'),
        'posts/a.png': Buffer.alloc(1),
        'pages/page.md': markdown({ title: 'Page' }, `${HEADINGS}\n\n## Four`),
        'pages/with.md': markdown({ title: 'With', toc: true }, HEADINGS),
        'pages/without.md': markdown({ title: 'Without', toc: false }, `${HEADINGS}\n\n## Four`),
        'pages/neither.md': markdown({ title: 'Neither', toc: true }, 'No heading.'),
        'pages/wrong.md': markdown({ title: 'Wrong', toc: 'often' }),
      }),
    )
    cleanUp(suite, () => site.close())
  })

  it('leads to published addresses, also in callouts and footnotes', async () => {
    const { body } = await get(site, '/blog/post')
    assert.match(body, /<blockquote class="callout warning"[\s\S]*<a href="\/page">the page<\/a>[\s\S]*<\/blockquote>/)
    assert.match(body, /<li id="fn:1"[\s\S]*<a href="\/page#one">here<\/a>/)
    assert.doesNotMatch(body, / style=/)
  })

  it('stays the markdown of its author, with published addresses', async () => {
    const { body } = await get(site, '/blog/post.md')
    const published = TEXT.replaceAll('../pages/page.md', `${SITE_ADDRESS}/page.md`)
    assert.ok(body.includes(published.replace('(a.png', `(${SITE_ADDRESS}/blog/a.png`)), body)
  })

  it('works in feeds without the style sheet of the site', async () => {
    const { items } = (await get(site, '/feed.json')).body
    const [{ content_html: html }] = items
    assert.match(
      html,
      /<blockquote [^>]*>\s*<p [^>]*><svg width="18" height="18" [\s\S]*<strong>Warning<\/strong><\/p>/,
    )
    assert.match(html, /<math><msup>/)
    assert.match(html, /<ins class="line">let a<\/ins>\s*<del class="line">let b<\/del>/)
    assert.match(html, /href="https:\/\/site\.example\/blog\/post#fn:1"/)
    assert.match(html, /href="https:\/\/site\.example\/blog\/post#fnref:1"/)
    assert.doesNotMatch(html, /class="contents"/)
  })

  it('leads within the preview of a draft', async () => {
    const { body } = await get(site, '/dev/drafts/blog/draft')
    assert.match(body, /href="\/dev\/drafts\/blog\/draft#fn:1"/)
  })

  it('with a mistake is named in the log', async () => {
    await eventually(async () => {
      const errors = fileErrorsIn(site).filter((line) => !line.includes('a.png'))
      assert.deepEqual(errors, [
        'content/pages/wrong.md:3: "toc" must be true or false',
        'content/posts/post.md:17: there is no heading #three in pages/page.md',
        "content/posts/post.md:5: a formula cannot be read: Unexpected end of input in a macro argument, expected '}'",
      ])
    })
  })

  it('has a table of contents from three headings on, or as the front matter says', async () => {
    for (const [path, expected] of [
      ['/page', true],
      ['/with', true],
      ['/without', false],
      ['/neither', false],
      ['/blog/post', false],
    ] as const)
      assert.equal((await get(site, path)).body.includes('<nav class="contents"'), expected, path)
  })

  it('is found by the search, with footnotes at their own place', async () => {
    await eventually(async () => {
      const { results } = (await get(site, '/search.json?q=here')).body
      assert.equal(results[0]?.url, 'https://site.example/blog/post#fn%3Aall')
    })
  })
})
