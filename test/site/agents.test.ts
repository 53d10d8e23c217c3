import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { parse } from 'yaml'
import { call, get, post } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, fileErrorsIn, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const FILES = {
  'site.yaml': 'title: "Ada: notes"\ndescription: On numbers\n',
  'pages/index.md': markdown(
    { title: 'Home', date: '2024-05-01', updated: '2024-05-02', tags: ['x'] },
    'Welcome ![me](images/me.png).',
  ),
  'pages/about.md': markdown(
    { title: 'About', date: '2024-03-31', updated: '2024-04-01T10:00Z', tags: ['Ada'] },
    'Hello.',
  ),
  'posts/second.md': markdown(
    {
      title: '"Quotes": # and\ttabs',
      description: 'It’s',
      date: '2024-02-01',
      updated: '2024-03-01',
      tags: ['C++', 'b: c'],
    },
    'Text ![p](p.png "t") ![q][q]\n\n[q]: ../images/q.png\n\n```md\n![code](p.png)\n```',
  ),
  'posts/first.md': markdown({ title: 'First', date: '2023-01-01' }),
  'posts/alike.md': markdown({ title: 'Alike', date: '2022-01-01', tags: ['C++'] }),
  'posts/also-alike.md': markdown({ title: 'Also alike', date: '2021-01-01', tags: ['C++'] }),
}

function frontMatterOf(body: string): Record<string, unknown> {
  const [, yaml = ''] = /^---\n([\s\S]*?)\n---\n\n/.exec(body) ?? []
  return parse(yaml)
}

describe('an agent', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
  })

  it('gets the facts about a page as front matter', async () => {
    assert.deepEqual(frontMatterOf((await get(site, '/blog/second.md')).body), {
      title: '"Quotes": # and\ttabs',
      description: 'It’s',
      date: '2024-02-01',
      updated: '2024-03-01',
      tags: ['C++', 'b: c'],
      canonical: `${SITE_ADDRESS}/blog/second`,
    })
    assert.deepEqual(frontMatterOf((await get(site, '/about.md')).body), {
      title: 'About',
      date: '2024-03-31',
      updated: '2024-04-01T10:00:00.000Z',
      tags: ['Ada'],
      canonical: `${SITE_ADDRESS}/about`,
    })
    assert.deepEqual(frontMatterOf((await get(site, '/index.md')).body), {
      title: 'Ada: notes',
      description: 'On numbers',
      date: '2024-05-01',
      updated: '2024-05-02',
      tags: ['x'],
      canonical: `${SITE_ADDRESS}/`,
    })
  })

  it('gets absolute pictures in markdown, and unchanged code', async () => {
    for (const path of ['/blog/second.md', '/llms-full.txt']) {
      const { body } = await get(site, path)
      assert.ok(body.includes(`Text ![p](${SITE_ADDRESS}/blog/p.png "t") ![q][q]\n\n[q]: ${SITE_ADDRESS}/images/q.png`))
      assert.ok(body.includes('\n![code](p.png)\n'))
    }
    assert.ok((await get(site, '/llms-full.txt')).body.includes(`![me](${SITE_ADDRESS}/images/me.png)`))
  })

  it('gets absolute links within the references of the APIs', async () => {
    for (const path of ['/docs/content-api', '/docs/account-api']) {
      const url = SITE_ADDRESS + path
      for (const { body } of await Promise.all([get(site, `${path}.md`), get(site, '/llms-full.txt')]))
        assert.ok(body.includes(`](${url}#`) && !body.includes('](#'), path)
      const [, id = ''] = /\]\([^)#]+-api#([^)]+)\)/.exec((await get(site, `${path}.md`)).body) ?? []
      assert.ok(id && (await get(site, path)).body.includes(`id="${id}"`), id)
    }
  })

  it('gets each text once in llms-full.txt', async () => {
    const { body } = await get(site, '/llms-full.txt')
    for (const words of ['Welcome', 'Hello.', 'Text !', '# First']) assert.equal(body.split(words).length, 2, words)
    assert.doesNotMatch(body, /Latest posts|Tagged|All posts, newest first|Related posts/)
    const alike = `[Also alike](${SITE_ADDRESS}/blog/also-alike.md)`
    assert.ok((await get(site, '/blog/second.md')).body.includes(alike))
    assert.ok(!body.includes(alike))
  })

  it('is led from each page to the list of all pages', async () => {
    const llms = `<${SITE_ADDRESS}/llms.txt>; rel="describedby"; type="text/plain"`
    for (const path of ['/', '/about', '/about.md', '/blog', '/docs'])
      assert.ok((await get(site, path)).headers.get('link')?.includes(llms), path)
    const { body } = await get(site, '/about')
    assert.match(body, /<p hidden>[^<]*<a href="\/about\.md">[^<]*<\/a>[^<]*<a href="\/llms\.txt">/)
    await site.write('site.yaml', 'title: Ada\nhide: [llms]\n')
    await eventually(async () => assert.doesNotMatch((await get(site, '/about')).body, /llms\.txt/))
  })

  it('is led from the home page to the descriptions of the APIs (RFC 8631, RFC 9727)', async () => {
    for (const path of ['/', '/index.md', '/docs']) {
      const { headers } = await get(site, path)
      const links = [...(headers.get('link') ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g)].map(([, url, rel]) => [
        rel,
        url,
      ])
      for (const [rel, target] of [
        ['service-desc', '/openapi.json'],
        ['service-desc', '/api/openapi.json'],
        ['service-doc', '/docs'],
        ['api-catalog', '/.well-known/api-catalog'],
      ] as const) {
        assert.ok(
          links.some(([name, url]) => name === rel && url === SITE_ADDRESS + target),
          `${path} ${rel}`,
        )
        assert.equal((await get(site, target)).status, 200, target)
      }
    }
    assert.doesNotMatch((await get(site, '/about')).headers.get('link') ?? '', /service/)
  })

  it('finds the API catalog as a linkset, also by HEAD', async () => {
    const path = '/.well-known/api-catalog'
    const response = await get(site, path)
    assert.equal(
      response.headers.get('content-type'),
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    )
    const { linkset } = response.body as { linkset: Record<string, string | { href: string }[]>[] }
    assert.deepEqual(
      linkset.map(({ anchor }) => anchor),
      [`${SITE_ADDRESS}/`, `${SITE_ADDRESS}/api`],
    )
    for (const links of linkset)
      for (const { href } of Object.values(links).flatMap((link) => (typeof link === 'string' ? [] : link)))
        assert.equal((await get(site, href.replace(SITE_ADDRESS, ''))).status, 200, href)
    const { status, headers } = await call(site, 'HEAD', path)
    assert.equal(status, 200)
    assert.match(headers.get('link') ?? '', /rel="api-catalog"/)
    assert.equal((await post(site, path)).status, 405)
  })

  it('finds content signals only if the owner has chosen them', async () => {
    assert.doesNotMatch((await get(site, '/robots.txt')).body, /Signal/)
    await site.write('site.yaml', 'title: Ada\ncontentSignals: { search: yes, ai-input: true, ai-train: no }\n')
    await eventually(async () =>
      assert.match(
        (await get(site, '/robots.txt')).body,
        /^User-agent: \*\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nDisallow: /,
      ),
    )
    for (const [yaml, fault] of [
      ['contentSignals: { ai: yes }', 'each field of "contentSignals" must be one of search, ai-input, ai-train'],
      ['contentSignals: { search: maybe }', '"search" must be yes or no'],
      ['contentSignals: [search]', '"contentSignals" must have fields such as "search: yes"'],
    ] as const) {
      await site.write('site.yaml', `title: Ada\n${yaml}\n`)
      await eventually(async () =>
        assert.ok(
          fileErrorsIn(site).some((line) => line.includes(fault)),
          fault,
        ),
      )
    }
  })
})

describe('the lists of a site with many posts', () => {
  const POSTS = 1200
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const posts = Array.from({ length: POSTS }, (_, number) => [
      `posts/p${number}.md`,
      markdown(
        { title: `Post ${number} of many`, description: 'd'.repeat(60), date: `${2022 + (number % 3)}-01-01` },
        `Text ${number}. ${'word '.repeat(200)}`,
      ),
    ])
    const pages = Array.from({ length: 300 }, (_, number) => [
      `pages/page-${number}.md`,
      markdown({ title: `Page ${number}`, description: 'd'.repeat(60) }),
    ])
    Object.assign(site, await startSite(Object.fromEntries([...posts, ...pages])))
    cleanUp(suite, () => site.close())
  })

  const linksIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, path = '']) => path)

  it('have 50,000 characters at most, and together all posts and pages', async () => {
    const { body: llms } = await get(site, '/llms.txt')
    const lists = linksIn(llms, /\(https:\/\/site\.example(\/llms\/[^)]+)\)/g)
    assert.deepEqual(lists.slice(0, 3), ['/llms/pages.txt', '/llms/2024.txt', '/llms/2024-2.txt'])
    const texts = [llms]
    for (const path of lists) texts.push((await get(site, path)).body)
    for (const text of texts) assert.ok(text.length <= 50_000, `${text.length}`)
    assert.ok(llms.length > 40_000, `${llms.length}`)
    const [, ...further] = texts
    assert.equal(new Set(linksIn(further.join('\n'), /\((\S+\/blog\/p\d+\.md)\)/g)).size, POSTS)
    assert.equal(new Set(linksIn(further.join('\n'), /\((\S+\/page-\d+\.md)\)/g)).size, 300)
    assert.match(llms, /## Latest posts\n\n- \[Post \d+ of many\]/)
  })

  it('have the full text in parts, each text once', async () => {
    const { body: full } = await get(site, '/llms-full.txt')
    const parts = linksIn(full, /\(https:\/\/site\.example(\/llms-full\/[^)]+)\)/g)
    assert.deepEqual(parts, ['/llms-full/2024.txt', '/llms-full/2023.txt', '/llms-full/2022.txt'])
    const texts = [full]
    for (const path of parts) texts.push((await get(site, path)).body)
    for (const text of texts) assert.ok(text.length < 1_200_000)
    const all = texts.join('\n')
    assert.equal(linksIn(all, /^Text (\d+)\./gm).length, POSTS)
    assert.equal(new Set(linksIn(all, /^Text (\d+)\./gm)).size, POSTS)
    assert.match(full, /^# Page 299$/m)
  })
})
