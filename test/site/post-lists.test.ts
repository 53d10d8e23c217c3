import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { readLibrary } from '../../src/content/library.ts'
import { siteAddresses } from '../../src/content/site-addresses.ts'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { fileErrorsIn, linksTo, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const POSTS = 120
const post = (number: number) => `/blog/post-${String(number).padStart(3, '0')}`

/** 120 posts: a hundred of 2023 and twenty of 2024. Every post is tagged, and every fortieth is part of a series. */
function posts(): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: POSTS }, (_, number) => {
      const date = new Date(Date.UTC(number < 100 ? 2023 : 2024, 0, 1 + (number % 100)))
      const fields = {
        title: `Post ${number}`,
        date: date.toISOString().slice(0, 10),
        tags: ['All', ...(number % 60 === 0 ? ['C++'] : [])],
        ...(number % 40 === 0 && { series: 'Round Numbers' }),
      }
      return [`posts/${post(number).slice('/blog/'.length)}.md`, markdown(fields)]
    }),
  )
}

const SETTINGS = `title: Site
hub: https://hub.example/
navigation:
  - title: Blog
    url: /blog
`
const FILES = { 'site.yaml': SETTINGS, ...posts() }

describe('lists of posts', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
  })
  const html = async (path: string): Promise<string> => {
    const { status, body } = await get(site, path)
    assert.equal(status, 200, path)
    return body
  }
  const headLink = (body: string, rel: string) =>
    [...body.matchAll(new RegExp(`<link rel="${rel}" href="([^"]+)">`, 'g'))].map(([, href]) => href)

  it('have pages of fifty posts, which link to each other', async () => {
    const [first, second, third] = [await html('/blog'), await html('/blog/page/2'), await html('/blog/page/3')]
    assert.deepEqual(
      [first, second, third].map((body) => linksTo(body, '/blog/post-').length),
      [50, 50, 20],
    )
    assert.equal(linksTo(first, '/blog/post-')[0], post(119))
    assert.equal(linksTo(third, '/blog/post-').at(-1), post(0))
    assert.deepEqual([headLink(first, 'prev'), headLink(first, 'next')], [[], [`${SITE_ADDRESS}/blog/page/2`]])
    assert.deepEqual(
      [headLink(second, 'prev'), headLink(second, 'next')],
      [[`${SITE_ADDRESS}/blog`], [`${SITE_ADDRESS}/blog/page/3`]],
    )
    assert.match(second, /<link rel="canonical" href="https:\/\/site\.example\/blog\/page\/2">/)
    assert.match(second, /Page 2 of 3/)
    assert.match(second, /<a rel="prev" href="\/blog">/)
    for (const path of ['/blog/page/1', '/blog/page/4', '/blog/page', '/blog/page/02'])
      assert.equal((await get(site, path)).status, 404, path)
    assert.match(
      await html('/blog/page/2.md'),
      /\n\nPrevious: \[page 1\]\(https:\/\/site\.example\/blog\.md\)\n\nNext: \[page 3\]\(https:\/\/site\.example\/blog\/page\/3\.md\)\n$/,
    )
  })

  it('are by tag, by year and by series, with lists of these', async () => {
    assert.deepEqual(linksTo(await html('/tags'), '/tags/'), ['/tags/all', '/tags/c-plus-plus'])
    assert.deepEqual(linksTo(await html('/archive'), '/archive/'), ['/archive/2024', '/archive/2023'])
    assert.deepEqual(linksTo(await html('/series'), '/series/'), ['/series/round-numbers'])
    assert.deepEqual(linksTo(await html('/tags/c-plus-plus'), '/blog/'), [post(60), post(0)])
    assert.deepEqual(linksTo(await html('/series/round-numbers'), '/blog/'), [post(0), post(40), post(80)])
    assert.equal(linksTo(await html('/archive/2024'), '/blog/').length, 20)
    assert.equal(linksTo(await html('/archive/2023/page/2'), '/blog/').length, 50)
    assert.deepEqual(linksTo(await html('/blog'), '/archive'), ['/archive'])
    for (const [path, words] of [
      ['/tags.md', '- [C++](https://site.example/tags/c-plus-plus.md) (2 posts)'],
      ['/archive.md', '- [2024](https://site.example/archive/2024.md) (20 posts)'],
      ['/series.md', '- [Round Numbers](https://site.example/series/round-numbers.md) (3 posts)'],
      ['/series/round-numbers.md', '- [Post 0](https://site.example/blog/post-000.md) (1 January 2023)\n- [Post 40]'],
    ] as const)
      assert.ok((await html(path)).includes(words), path)
  })

  it('link to the list that they are a part of, above their title', async () => {
    for (const [path, parent] of [
      ['/tags', '/blog'],
      ['/tags/all', '/tags'],
      ['/archive/2024', '/archive'],
      ['/series/round-numbers', '/series'],
      ['/tags/all/page/2', '/tags/all'],
    ] as const)
      assert.match(
        await html(path),
        new RegExp(`<p class="eyebrow"><a href="${parent}" dir="auto">[^<]+</a></p>\n<h1`),
        path,
      )
    assert.doesNotMatch(await html('/blog'), /class="eyebrow"/)
  })

  it('have their first pages in the sitemap and in llms-full.txt', async () => {
    const sitemap = await html('/sitemap.xml')
    const paths = [...sitemap.matchAll(/<loc>https:\/\/site\.example([^<]+)<\/loc>/g)].map(([, path = '']) => path)
    for (const path of ['/blog', '/tags', '/tags/all', '/archive', '/archive/2023', '/series', '/series/round-numbers'])
      assert.ok(paths.includes(path), path)
    assert.ok(paths.every((path) => !path.includes('/page/')))
    assert.doesNotMatch(await html('/llms-full.txt'), /page\/2 -->/)
    // The check of the content knows the same addresses without a running service.
    const library = await readLibrary(site.folder)
    const { pages } = await siteAddresses(library, new Date())
    const known = [...pages].filter((path) => !path.includes('/page/'))
    assert.deepEqual(known.sort(), paths.filter((path) => !path.startsWith('/docs')).sort())
  })

  it('name their feeds by the title of the list, also on later pages', async () => {
    for (const path of ['/tags/all', '/tags/all/page/2'])
      assert.match(
        await html(path),
        /<link rel="alternate" type="application\/rss\+xml" title="Tagged “[^”]+” · Site" href="\S+\/tags\/all\/feed\.xml">/,
      )
  })

  it('have feeds for each tag, and name the hub', async () => {
    const rss = await html('/tags/c-plus-plus/feed.xml')
    assert.equal(XMLValidator.validate(rss), true)
    const { channel } = new XMLParser({ ignoreAttributes: false }).parse(rss).rss
    assert.equal(channel.title, 'Site: C++')
    assert.equal(channel.link, `${SITE_ADDRESS}/tags/c-plus-plus`)
    assert.deepEqual(
      channel.item.map(({ link }: { link: string }) => link),
      [SITE_ADDRESS + post(60), SITE_ADDRESS + post(0)],
    )
    const links = channel['atom:link'].map((link: Record<string, string>) => [link['@_rel'], link['@_href']])
    assert.deepEqual(links, [
      ['self', `${SITE_ADDRESS}/tags/c-plus-plus/feed.xml`],
      ['hub', 'https://hub.example/'],
    ])
    const { body: json } = await get(site, '/tags/c-plus-plus/feed.json')
    assert.equal(json.feed_url, `${SITE_ADDRESS}/tags/c-plus-plus/feed.json`)
    assert.deepEqual(json.hubs, [{ type: 'WebSub', url: 'https://hub.example/' }])
    assert.equal(json.items.length, 2)
    const page = await html('/tags/c-plus-plus')
    assert.ok(page.includes(`href="${SITE_ADDRESS}/tags/c-plus-plus/feed.xml"`))
    // A page is no topic of the hub: it has no link to itself (WebSub, section 4).
    assert.deepEqual(headLink(page, 'hub'), [])
    assert.equal((await get(site, '/tags/all/feed.json')).body.items.length, 100)
  })

  it('mark the blog in the navigation of the site, and no other page does', async () => {
    const marks = async (path: string) => /<nav class="site-menu[^>]*>\s*(<a [^>]*>)/.exec(await html(path))?.[1]
    for (const path of ['/tags', '/tags/all', '/archive', '/archive/2023', '/series/round-numbers', post(1)]) {
      assert.equal(await marks(path), '<a href="/blog" dir="auto" aria-current="true">', path)
    }
    assert.equal(await marks('/search'), '<a href="/blog" dir="auto">')
  })

  it('lead from a post to the other parts of its series', async () => {
    const middle = await html(post(40))
    assert.match(middle, /<p>Part 2 of 3 of <a href="\/series\/round-numbers" dir="auto">Round Numbers<\/a><\/p>/)
    const box = middle.slice(middle.indexOf('class="parts-of-series"'), middle.indexOf('</details>'))
    assert.deepEqual(linksTo(box, '/blog/'), [post(0), post(80)])
    assert.match(box, /<b aria-current="page" dir="auto">Post 40<\/b>/)
    assert.match(
      await html(`${post(40)}.md`),
      /\n\nPart 2 of 3 of \[Round Numbers\]\(https:\/\/site\.example\/series\/round-numbers\.md\)\n\n/,
    )
    assert.doesNotMatch(await html(post(41)), /parts-of-series/)
  })

  it('have no faults', () => assert.deepEqual(fileErrorsIn(site), []))
})

describe('related posts', () => {
  // Every post has the tag, and the rare one is shared by the oldest and the newest.
  const titles = ['Oldest', 'Older', 'Middle', 'Newer', 'Newest']
  const files = Object.fromEntries(
    titles.map((title, day) => {
      const tags = day === 0 || day === 4 ? ['All', 'Rare'] : ['All']
      return [`posts/${title.toLowerCase()}.md`, markdown({ title, date: `2024-01-0${day + 1}`, tags })]
    }),
  )

  it('are on the page of a post and in its markdown, without the neighbours of the post', async (t) => {
    const site = await startSite({ ...files, 'posts/other.md': markdown({ title: 'Alone', date: '2020-01-01' }) })
    cleanUp(t, () => site.close())
    const related = async (name: string) => {
      const { body } = await get(site, `/blog/${name}`)
      const [, section = ''] = /<section class="related"([\s\S]*?)<\/section>/.exec(body) ?? []
      return linksTo(section, '/blog/')
    }
    const inMarkdown = async (name: string) => {
      const { body } = await get(site, `/blog/${name}.md`)
      const [, section = ''] = body.split('\n## Related posts\n')
      return [...section.matchAll(/\]\(https:\/\/site\.example(\/blog\/\w+)\.md\)/g)].map(([, path]) => path)
    }
    for (const [name, expected] of [
      ['newest', ['/blog/oldest', '/blog/middle', '/blog/older']],
      ['middle', ['/blog/newest', '/blog/oldest']],
      ['oldest', ['/blog/newest', '/blog/newer', '/blog/middle']],
      ['other', []],
    ] as const) {
      assert.deepEqual(await related(name), expected, name)
      assert.deepEqual(await inMarkdown(name), expected, `${name}.md`)
    }
  })
})

describe('a site without posts', () => {
  it('has a blog, and no other lists', async (t) => {
    const site = await startSite({ 'pages/about.md': markdown({ title: 'About' }) })
    cleanUp(t, () => site.close())
    assert.equal((await get(site, '/blog')).status, 200)
    for (const path of ['/tags', '/archive', '/series']) assert.equal((await get(site, path)).status, 404, path)
    assert.doesNotMatch((await get(site, '/')).body, /rel="hub"/)
  })
})
