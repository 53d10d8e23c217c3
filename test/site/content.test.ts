import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, fileErrorsIn, linksTo, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const SITE_YAML = `title: Ada’s site
description: Notes & numbers
author: Ada Lovelace
language: en-GB
navigation:
  - { title: Blog, url: /blog }
  - { title: About, url: /about }
links:
  - { title: Code, url: "https://code.example/ada" }
`
const CODE = '```ts\nconst answer: number = 42\n```\n\n```unheard-of\n<plain>\n```'
const FILES = {
  'site.yaml': SITE_YAML,
  'pages/index.md': markdown({ title: 'Home, sweet home' }, 'Welcome to the **engine**.'),
  'pages/about.md': markdown({ title: 'About', description: 'Who I am' }, 'I count.'),
  'posts/2024-01-01-first.md': markdown({ title: 'First', date: '2024-01-01', tags: ['Type Script'] }),
  'posts/2024-02-01-second.md': markdown(
    { title: 'Second', description: 'The “second” & best', date: '2024-02-01', updated: '2024-03-01', tags: ['maths'] },
    `# Top\n\n## Same\n\n## Same\n\n## Content\n\n${CODE}\n\n${'word '.repeat(920)}`,
  ),
  'posts/third.md': markdown({ title: 'Third', date: '2024-03-05T10:00:00Z', tags: ['maths', 'Maths', 'type script'] }),
}

describe('the content folder', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
  })
  const page = async (path: string): Promise<string> => {
    const { status, headers, body } = await get(site, path)
    assert.equal(status, 200, path)
    assert.match(headers.get('content-type') ?? '', /^text\/html; charset=utf-8$/)
    return body
  }

  it('becomes a home page with the introduction and the latest posts, newest first', async () => {
    const body = await page('/')
    assert.match(body, /<title>Ada’s site<\/title>/)
    assert.match(body, /<html lang="en-GB"[ >]/)
    assert.match(body, /<h1 dir="auto">Home, sweet home<\/h1>\s*<p class="lead" dir="auto">Notes &amp; numbers<\/p>/)
    assert.match(body, /Welcome to the <strong>engine<\/strong>/)
    assert.match((await get(site, '/index.md')).body, /\n# Home, sweet home\n\n> Notes & numbers\n\nWelcome/)
    assert.deepEqual(linksTo(body, '/blog/'), ['/blog/third', '/blog/second', '/blog/first'])
    assert.match(body, /<a href="https:\/\/code\.example\/ada" rel="me" dir="auto">Code<\/a>/)
    assert.equal((await get(site, '/index')).status, 404)
  })

  it('becomes a blog, a page for each tag, and a page for each file', async () => {
    assert.deepEqual(linksTo(await page('/blog'), '/blog/'), ['/blog/third', '/blog/second', '/blog/first'])
    assert.deepEqual(linksTo(await page('/tags/maths'), '/blog/'), ['/blog/third', '/blog/second'])
    assert.deepEqual(linksTo(await page('/tags/type-script'), '/blog/'), ['/blog/third', '/blog/first'])
    assert.match(await page('/about'), /<h1 dir="auto">About<\/h1>[\s\S]*I count\./)
    assert.match(await page('/blog/first'), /<h1>First<\/h1>/)
    for (const path of ['/blog/2024-01-01-first', '/tags/none', '/pages/about', '/posts/third', '/about.html']) {
      assert.equal((await get(site, path)).status, 404, path)
    }
  })

  it('has one URL for each page, and redirects there from the one with a slash', async () => {
    const { status, headers } = await get(site, '/blog/second/', { redirect: 'manual' })
    assert.deepEqual([status, headers.get('location')], [308, '/blog/second'])
    assert.match(await page('/%62log/second'), /<h1>Second<\/h1>/)
  })

  it('describes each page to search engines, networks, feed readers and agents', async () => {
    const body = await page('/blog/second')
    const description = 'The “second” &amp; best'
    for (const tag of [
      '<title>Second · Ada’s site</title>',
      `<meta name="description" content="${description}">`,
      `<link rel="canonical" href="${SITE_ADDRESS}/blog/second">`,
      `<link rel="alternate" type="text/markdown" href="${SITE_ADDRESS}/blog/second.md">`,
      `<link rel="alternate" type="application/rss+xml" title="Ada’s site" href="${SITE_ADDRESS}/feed.xml">`,
      `<link rel="alternate" type="application/feed+json" title="Ada’s site" href="${SITE_ADDRESS}/feed.json">`,
      '<meta property="og:title" content="Second">',
      `<meta property="og:description" content="${description}">`,
      '<meta property="og:type" content="article">',
      `<meta property="og:url" content="${SITE_ADDRESS}/blog/second">`,
      '<meta property="og:site_name" content="Ada’s site">',
      '<meta property="article:published_time" content="2024-02-01T00:00:00.000Z">',
      '<meta property="article:modified_time" content="2024-03-01T00:00:00.000Z">',
      '<meta property="article:tag" content="maths">',
    ]) {
      assert.equal(body.split(tag).length, 2, tag)
    }
    const about = await page('/about')
    assert.match(about, /<meta property="og:type" content="website">/)
    assert.doesNotMatch(about, /article:/)
  })

  it('takes links from its settings only, whatever the Host header', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
    for (const path of ['/', '/feed.xml', '/sitemap.xml', '/llms.txt']) {
      assert.doesNotMatch((await get(site, path, { headers })).body, /evil/)
    }
  })

  it('shows the reading time of a post, and when it was written and changed', async () => {
    const body = await page('/blog/second')
    assert.match(body, /<time datetime="2024-02-01">1 February 2024<\/time> · 4 min read/)
    assert.match(body, /updated <time datetime="2024-03-01">1 March 2024<\/time>/)
    assert.match(await page('/blog/first'), /1 min read/)
    assert.doesNotMatch(await page('/blog/first'), /updated/)
  })

  it('links each post to the previous and the next', async () => {
    const neighbours = async (path: string) =>
      linksTo((await page(path)).split('class="neighbours"')[1] ?? '', '/blog/')
    assert.deepEqual(await neighbours('/blog/second'), ['/blog/first', '/blog/third'])
    assert.deepEqual(await neighbours('/blog/first'), ['/blog/second'])
    assert.deepEqual(await neighbours('/blog/third'), ['/blog/second'])
  })

  it('gives each heading an anchor of its own, below the only h1', async () => {
    const body = await page('/blog/second')
    assert.equal(body.match(/<h1/g)?.length, 1)
    for (const id of ['top', 'same', 'same-2']) {
      assert.match(
        body,
        new RegExp(`<h2 id="${id}" dir="auto">[^<]+<a class="anchor" href="#${id}" aria-label="[^"]+">#</a></h2>`),
      )
    }
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.deepEqual(ids, [...new Set(ids)])
  })

  it('colours code by classes of the style sheet, and leaves unknown languages plain', async () => {
    let body = ''
    let name = ''
    // Highlighting takes a moment. Until then the code is plain.
    await eventually(async () => {
      body = await page('/blog/second')
      name = /<span class="(c\w+)">const<\/span>/.exec(body)?.[1] ?? ''
      assert.ok(name)
    })
    assert.doesNotMatch(body, /style=|<style/)
    assert.match(
      body,
      /<pre tabindex="0" data-language="unheard-of"><code class="language-unheard-of">&lt;plain&gt;\n<\/code><\/pre>/,
    )
    const [, stylesheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(body) ?? []
    const css = await get(site, stylesheet)
    assert.equal(css.status, 200)
    assert.match(css.body, new RegExp(`\\.${name}\\{color:light-dark\\(#\\w+,#\\w+\\)\\}`))
  })

  it('serves the text itself as markdown, with its title', async () => {
    const { body } = await get(site, '/blog/second.md')
    assert.match(
      body,
      /\n# Second\n\n> The “second” & best\n\nPublished 1 February 2024, updated 1 March 2024 · maths\n\n# Top/,
    )
    assert.ok(body.includes(CODE))
  })
})

describe('a home page', () => {
  it('has the title of the site where its own file has none', async (test) => {
    const site = await startSite({ 'site.yaml': SITE_YAML, 'pages/index.md': markdown({}, 'Welcome.') })
    const missing = 'content/site.yaml:7: there is no page /about for the link /about'
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), [missing])
    assert.match((await get(site, '/')).body, /<h1 dir="auto">Ada’s site<\/h1>[\s\S]*<p dir="auto">Welcome\.<\/p>/)
  })
})

describe('a service without a content folder', () => {
  it('has a home page and an empty blog', async (test) => {
    const site = await startSite({}, { CONTENT_DIR: '/nowhere/at/all' })
    cleanUp(test, () => site.close())
    for (const path of ['/', '/blog', '/feed.xml', '/feed.json', '/sitemap.xml', '/llms.txt', '/llms-full.txt']) {
      const { status, body } = await get(site, path)
      assert.equal(status, 200, path)
      assert.doesNotMatch(typeof body === 'string' ? body : JSON.stringify(body), /1970/, path)
    }
    assert.match((await get(site, '/blog')).body, /No posts yet/)
  })
})
