import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const HOSTILE = '</script><script>alert(1)</script><!- "\\\u2028x'
const SITE_YAML = `title: Site
author: Ada Lovelace
description: Notes.
theme: dark
links:
  - { title: Code, url: "https://code.example/ada" }
  - { title: Mail, url: "mailto:ada@example.com" }
`

type Part = Record<string, unknown> & { '@type': string }

describe('the structured data of a page', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(
      site,
      await startSite({
        'site.yaml': SITE_YAML,
        'posts/one.md': markdown({
          title: 'One',
          description: 'The first.',
          date: '2024-01-01',
          updated: '2024-02-01',
          tags: ['C++'],
        }),
        'posts/hostile.md': markdown({ title: HOSTILE, description: HOSTILE, date: '2024-01-02', tags: [HOSTILE] }),
        'pages/about.md': markdown({ title: 'About' }),
      }),
    )
    cleanUp(suite, () => site.close())
  })

  async function partsOf(path: string): Promise<Part[]> {
    const { body } = await get(site, path)
    const blocks = [...body.matchAll(/<script type="application\/ld\+json">([^<]*)<\/script>/g)]
    if (blocks.length === 0) return []
    assert.equal(blocks.length, 1)
    const { '@context': context, '@graph': parts } = JSON.parse(blocks[0]?.[1] ?? '')
    assert.equal(context, 'https://schema.org')
    return parts
  }

  const PERSON = {
    '@type': 'Person',
    '@id': `${SITE_ADDRESS}/#person`,
    name: 'Ada Lovelace',
    url: `${SITE_ADDRESS}/`,
    sameAs: ['https://code.example/ada'],
  }

  it('is the site with its search on the home page', async () => {
    const [home, ...others] = await partsOf('/')
    const { dateModified, ...webSite } = home as Part
    assert.deepEqual(others, [])
    assert.match(String(dateModified), /^\d{4}-\d\d-\d\dT/)
    assert.deepEqual(webSite, {
      '@type': 'WebSite',
      '@id': `${SITE_ADDRESS}/#website`,
      url: `${SITE_ADDRESS}/`,
      name: 'Site',
      description: 'Notes.',
      inLanguage: 'en',
      publisher: PERSON,
      potentialAction: {
        '@type': 'SearchAction',
        target: { '@type': 'EntryPoint', urlTemplate: `${SITE_ADDRESS}/search?q={search_term_string}` },
        'query-input': 'required name=search_term_string',
      },
    })
    assert.equal((await get(site, '/search?q=first')).status, 200)
  })

  it('is the post, its author and its place on the page of a post', async () => {
    const [posting, crumbs] = await partsOf('/blog/one')
    const { image, ...post } = posting as Part & { image?: string }
    assert.ok(String(image).startsWith(`${SITE_ADDRESS}/assets/cards/blog/one-`))
    assert.deepEqual(post, {
      '@type': 'BlogPosting',
      '@id': `${SITE_ADDRESS}/blog/one#post`,
      url: `${SITE_ADDRESS}/blog/one`,
      mainEntityOfPage: `${SITE_ADDRESS}/blog/one`,
      headline: 'One',
      description: 'The first.',
      datePublished: '2024-01-01T00:00:00.000Z',
      dateModified: '2024-02-01T00:00:00.000Z',
      inLanguage: 'en',
      author: PERSON,
      publisher: PERSON,
      keywords: ['C++'],
    })
    assert.deepEqual(crumbs, {
      '@type': 'BreadcrumbList',
      itemListElement: [
        { '@type': 'ListItem', position: 1, name: 'Home', item: `${SITE_ADDRESS}/` },
        { '@type': 'ListItem', position: 2, name: 'Blog', item: `${SITE_ADDRESS}/blog` },
        { '@type': 'ListItem', position: 3, name: 'One', item: `${SITE_ADDRESS}/blog/one` },
      ],
    })
  })

  it('is the page and its place elsewhere', async () => {
    const [page, crumbs] = await partsOf('/about')
    const { dateModified, ...about } = page as Part
    assert.match(String(dateModified), /^\d{4}-\d\d-\d\dT/)
    assert.deepEqual(about, {
      '@type': 'WebPage',
      '@id': `${SITE_ADDRESS}/about`,
      url: `${SITE_ADDRESS}/about`,
      name: 'About',
      inLanguage: 'en',
      isPartOf: { '@id': `${SITE_ADDRESS}/#website` },
    })
    assert.deepEqual(crumbs?.itemListElement, [
      { '@type': 'ListItem', position: 1, name: 'Home', item: `${SITE_ADDRESS}/` },
      { '@type': 'ListItem', position: 2, name: 'About', item: `${SITE_ADDRESS}/about` },
    ])
    for (const path of ['/blog', '/tags', '/tags/c-plus-plus', '/archive', '/docs', '/docs/account-api'])
      assert.deepEqual(
        (await partsOf(path)).map((part) => part['@type']),
        ['WebPage', 'BreadcrumbList'],
        path,
      )
  })

  it('stays data, whatever a title contains', async () => {
    const [post] = await partsOf('/blog/hostile')
    // YAML escapes are read, and characters that XML excludes are removed.
    assert.equal(post?.headline, HOSTILE)
    const { body } = await get(site, '/blog/hostile')
    assert.equal(body.match(/<script(?! type="application\/ld\+json")/g), null)
    assert.doesNotMatch(body, /alert\(1\)<\/script>/)
  })

  it('is on no page that is not indexed', async () => {
    for (const path of ['/log-in', '/nowhere', '/search?q=one']) assert.deepEqual(await partsOf(path), [], path)
  })

  it('is beside the author and the colour of the bar', async () => {
    const { body } = await get(site, '/blog/one')
    assert.match(body, /<meta property="article:author" content="Ada Lovelace">/)
    assert.deepEqual(body.match(/<meta name="theme-color"[^>]*>/g), ['<meta name="theme-color" content="#1a1b1d">'])
    assert.match(body, /<link rel="next" href="https:\/\/site\.example\/blog\/hostile">/)
  })
})
