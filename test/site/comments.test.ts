import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fetchPlain, get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { fileErrorsIn, markdown, startSite, type TestSite } from '../support/site.ts'

const TEXT = `<!-- secret-1 -->

Before <!-- secret-2 --> after, <b>raw</b>.
<!-- secret-3
over several

lines --> *rest*

## Heading <!-- secret-4 -->

- one
  <!-- secret-5
secret-6 -->
- two

> quoted
> <!-- secret-7
> secret-8 -->

| a <!-- secret-9 --> | b |
|---|---|
| ![alt <!-- secret-10 -->](/favicon.svg) | [link <!-- secret-11 -->](/blog) |

<!-- secret-12 --> <!-- secret-13 -->

\`<!-- code-1 -->\`

\`\`\`html
<!-- code-2 -->
\`\`\`

    <!-- code-3 -->

[//]: # (secret-16)
[comment]: <> (secret-17)
[secret-18]: #

> [//]: #
>   "secret-19"

[<!-- secret-20 -->]: /blog
[a]: /blog/<!--secret-21-->
[b]: /blog '<!-- secret-22 -->'

\`\`\`text <!-- secret-23 -->
[//]: # (code-4)
\`\`\`

Of $a <!-- secret-27 --> b$ and $$c <!-- secret-28 --> d$$

$$
e <!-- secret-29 --> f
$$

Open <!-- text

<!-- secret-14

secret-15
`

const PICTURES = `## One ![alt <!-- secret-24 --> text](/favicon.svg)

| ![drawn <!-- secret-25 --> cell](/favicon.svg) | b |
|---|---|
| c | d |

![outer ![inner <!-- secret-26 --> part](/favicon.svg) words](/favicon.svg)

## Two

## Three
`

const LABELS = `A [link][<!-- secret-30 -->], a ![picture][<!-- secret-31 -->], a [<!-- secret-32 -->] and a [titled] one, a
footnote[^<!--secret-33-->] and a [good] link[^1].

[<!-- secret-30 -->]: /blog
[<!-- secret-31 -->]: /favicon.svg
[<!-- secret-32 -->]: /blog
[titled]: /blog "<!-- secret-34 -->"
[addressed]: /blog/<!--secret-35-->
[good]: /blog "Title"
[good]: /blog "<!-- secret-36 -->"
[^<!--secret-33-->]: secret-37
[^1]: Note.
`

describe('comments', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const files = {
      'posts/post.md': markdown({ title: 'Post', date: '2024-01-01' }, TEXT),
      'pages/index.md': markdown({ title: 'Home' }, TEXT),
      'pages/pictures.md': markdown({ title: 'Pictures' }, PICTURES),
      'pages/labels.md': markdown({ title: 'Labels' }, LABELS),
      'posts/fields.md': `---
title: <!-- secret-38 --> Of <!-- secret-39 -->two parts <!-- secret-40
date: 2024-01-02
summary: Short <!-- secret-41 -->
---
Words.
`,
      'posts/untitled.md': '---\ntitle: <!-- secret-42 -->\ndate: 2024-01-02\n---\nWords.\n',
      'pages/windows.md': markdown({ title: 'Windows' }, 'Words.\r\n<!-- secret\r\nsecret -->\r\n[up](index.md)'),
    }
    Object.assign(site, await startSite(files))
    cleanUp(suite, () => site.close())
  })

  for (const path of ['/', '/index.md', '/blog/post', '/blog/post.md', '/feed.xml', '/feed.json', '/llms-full.txt']) {
    it(`are not in ${path}, and comments in code are`, async () => {
      const response = await fetchPlain(site, path)
      assert.equal(response.status, 200)
      const body = String(response.body)
      assert.deepEqual(body.match(/secret-\d+/g), null)
      for (const words of ['code-1', 'code-2', 'code-3', 'code-4', 'Before after'])
        assert.ok(body.includes(words), words)
    })
  }

  it('in descriptions of pictures are neither in the contents, nor in the name of a table, nor in the search', async () => {
    const { body } = await get(site, '/pictures')
    for (const words of ['One alt text', 'Table: drawn cell, b', 'alt="outer inner part words"'])
      assert.ok(body.includes(words), words)
    const found = await get(site, '/search.json?q=one+drawn+inner')
    assert.match(JSON.stringify(found.body), /drawn cell.*outer inner part words/)
    for (const text of [body, JSON.stringify(found.body)]) assert.doesNotMatch(text, /secret/)
  })

  for (const path of ['/labels', '/labels.md']) {
    it(`in labels and definitions are not in ${path}`, async () => {
      const { body } = await get(site, path)
      assert.doesNotMatch(body, /secret/)
      for (const words of ['A [link][]', 'a ![picture][]', 'a [] and a [titled] one', 'footnote[^]'])
        assert.ok(body.includes(words), words)
      assert.match(body, path === '/labels' ? /<a href="\/blog" title="Title">good<\/a>/ : /\[good\]: \S+ "Title"/)
    })
  }

  it('leave the text around them unchanged, and other HTML as text', async () => {
    const { body } = await get(site, '/blog/post')
    for (const html of [
      '<p dir="auto">Before after, &lt;b&gt;raw&lt;/b&gt;.</p>',
      '<p dir="auto"><em>rest</em></p>',
      '<h2 id="heading" dir="auto">Heading <a',
      '<li>one</li>\n<li>two</li>',
      '<code>&lt;!-- code-1 --&gt;</code>',
    ]) {
      assert.ok(body.includes(html), html)
    }
    const inMarkdown = (await get(site, '/blog/post.md')).body
    assert.match(
      inMarkdown,
      /\n\nBefore after, <b>raw<\/b>\.\n\*rest\*\n\n## Heading \n\n- one\n\n- two\n\n> quoted\n> \n\n\| a/,
    )
    assert.match((await get(site, '/windows.md')).body, /Words\.\n\n\[up\]\(https:\/\/site\.example\/index\.md\)/)
  })

  it('in titles and descriptions are in no form of the site, and are logged with their lines', async () => {
    const paths = [
      '/',
      '/blog',
      '/blog/fields',
      '/blog/fields.md',
      '/feed.xml',
      '/feed.json',
      '/llms.txt',
      '/llms-full.txt',
    ]
    for (const path of [...paths, '/search.json?q=parts']) {
      const body = await (await fetch(site.url + path)).text()
      assert.deepEqual(body.match(/secret-\d+/g), null, path)
      assert.match(body, /Of two parts/, path)
    }
    const faults = fileErrorsIn(site).filter((fault) => /(fields|untitled)\.md/.test(fault))
    const fault = (name: string) =>
      `"${name}" has an HTML comment, which is not published: in front matter, " #" begins one`
    assert.deepEqual(faults.sort(), [
      `content/posts/fields.md:2: ${fault('title')}`,
      `content/posts/fields.md:4: ${fault('summary')}`,
      `content/posts/untitled.md:2: ${fault('title')}`,
      `content/posts/untitled.md:2: "title" is missing`,
    ])
  })

  it('without an end are logged with their lines', () => {
    const faults = fileErrorsIn(site).filter((fault) => fault.startsWith('content/posts/post.md'))
    assert.deepEqual(faults, [
      'content/posts/post.md:61: a comment has no end: "-->" is missing',
      'content/posts/post.md:59: a comment has no end: "-->" is missing',
    ])
  })
})
