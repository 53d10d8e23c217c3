import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { eventually, fileErrorsIn, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const GOOD = `[a](2024-01-02-other.md) [b](./2024-01-02-other.md#the-part) [c](../pages/about.md?x=1&y=(2)#top)
[d][ref] [e](../pages/index.md) [f](#own-part) [g](../images/cv.pdf) [h](2024-01-02-other.md "title")

[ref]: ../posts/2024-01-02-other.md

## Own part

\`[code](2024-01-02-other.md)\`
`
const BROKEN: [link: string, words: string][] = [
  ['[a](missing.md)', 'there is no post or page posts/missing.md for the link missing.md'],
  ['[a](../../README.md)', 'the link ../../README.md leads out of the content folder'],
  ['[a](..%2f..%2fREADME.md)', 'the link ..%2f..%2fREADME.md leads out of the content folder'],
  ['[a](rough.md)', 'the link rough.md leads nowhere yet: posts/rough.md is a draft'],
  ['[a](later.md#x)', 'the link later.md#x leads nowhere yet: posts/later.md is not public until 2999-01-01'],
  ['[a](2024-01-02-other.md#no-part)', 'there is no heading #no-part in posts/2024-01-02-other.md'],
  ['[a](#nothing)', 'there is no heading #nothing in posts/broken.md'],
  ['[a](../images/none.pdf)', 'there is no file ../images/none.pdf: it belongs in images/, or beside this file'],
  ['[a]: gone.md', 'there is no post or page posts/gone.md for the link gone.md'],
  ['[a](%E0%A4%A.md)', 'there is no post or page posts/%E0%A4%25A.md for the link %E0%A4%25A.md'],
  ['[b](https://x.example/a.md) [c](//x.example/b.md) [d](mailto:a@b.md) [e](other)', ''],
  ['[a](/etc/passwd.md)', 'there is no page /etc/passwd for the link /etc/passwd.md'],
  ['[a](notes.txt)', 'there is no file /blog/notes.txt for the link notes.txt'],
  ['[a](/files/all.zip)', 'there is no file /files/all.zip for the link /files/all.zip'],
  ['[a](/blog/othr#x)', 'there is no page /blog/othr for the link /blog/othr#x'],
  ['[a](/blog/other#no-part)', 'there is no heading #no-part in posts/2024-01-02-other.md'],
  [`[a](${SITE_ADDRESS}/about/#no)`, 'there is no heading #no in pages/about.md'],
  ['[a](/former#no)', 'there is no heading #no in pages/about.md'],
  ['[a](/part#no)', ''],
  ['[a](#fn:1) [a](#fnref:1) [a](#fnref:1:2) [a](2024-01-02-other.md#fn:1) [^1] [^1]', ''],
  ['[a](/blog/other#:~:text=good) [a](#:~:text=a,-b&text=c) [a](2024-01-02-other.md#the-part:~:text=good)', ''],
  ['[a](#fn:2)', 'there is no heading #fn:2 in posts/broken.md'],
  ['[a](#fnref:1:3)', 'there is no heading #fnref:1:3 in posts/broken.md'],
  ['[a](/blog/other#no-part:~:text=good)', 'there is no heading #no-part in posts/2024-01-02-other.md'],
  ['[a](/away#no)', ''],
  ['[a](/blog/rough)', 'the link /blog/rough leads nowhere yet: posts/rough.md is a draft'],
  [
    [
      '/blog/other#the-part',
      '/about.md',
      '/blog',
      '/archive/2024',
      ...['/feed.xml', '/feed.json', '/sitemap.xml', '/robots.txt', '/llms.txt', '/llms-full.txt', '/openapi.json'],
      ...['/api/openapi.json', '/search.json', '/.well-known/security.txt', '/favicon.svg', '/images/cv.pdf'],
      '/log-in',
      '/docs/account-api',
      '/former',
    ]
      .map((address) => `[a](${address})`)
      .join(' '),
    '',
  ],
]
const FILES = {
  'site.yaml': 'title: Links\nredirects:\n  /part: /blog/other#the-part\n  /away: https://x.example/\n',
  'posts/good.md': markdown({ title: 'Good', date: '2024-01-01' }, GOOD),
  'posts/2024-01-02-other.md': markdown(
    { title: 'Other', date: '2024-01-02' },
    '## The part\n\n[good](good.md)[^1]\n\n[^1]: A note.',
  ),
  'posts/broken.md': markdown(
    { title: 'Broken', date: '2024-01-03' },
    [...BROKEN.map(([link]) => link), '[^1]: A note.'].join('\n\n'),
  ),
  'posts/rough.md': markdown({ title: 'Rough', date: '2024-01-01', draft: true }, '[plan](../pages/plan.md)'),
  'posts/later.md': markdown({ title: 'Later', date: '2999-01-01' }),
  'pages/about.md': markdown({ title: 'About', aliases: ['/former'] }),
  'pages/plan.md': markdown({ title: 'Plan', draft: true }),
  'pages/index.md': markdown({ title: 'Home' }, '[post](../posts/good.md)'),
  'images/cv.pdf': '%PDF-1.4',
}

describe('links between files', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
  })

  it('lead to the published URLs on the page, which exist', async () => {
    const { body } = await get(site, '/blog/good')
    const article = body.slice(body.indexOf('<article>'), body.indexOf('</article>'))
    const addresses = [...article.matchAll(/<a href="([^"]+)"/g)].map(([, address]) => address)
    assert.deepEqual(addresses, [
      '/blog/other',
      '/blog/other#the-part',
      '/about?x=1&amp;y=%282%29#top',
      '/blog/other',
      '/',
      '#own-part',
      '../images/cv.pdf',
      '/blog/other',
    ])
    assert.match(article, /<code>\[code\]\(2024-01-02-other\.md\)<\/code>/)
    assert.match((await get(site, '/')).body, /<a href="\/blog\/good">post<\/a>/)
    for (const path of ['/blog/other', '/blog/other.md', '/about.md', '/index.md']) {
      assert.equal((await get(site, path)).status, 200, path)
    }
  })

  it('lead to the markdown in the markdown, and are absolute', async () => {
    for (const path of ['/blog/good.md', '/llms-full.txt']) {
      const { body } = await get(site, path)
      for (const words of [
        '[a](~/blog/other.md) [b](~/blog/other.md#the-part) [c](~/about.md?x=1&y=%282%29#top)',
        '[d][ref] [e](~/index.md) [f](~/blog/good#own-part) [g](~/images/cv.pdf) [h](~/blog/other.md "title")',
        '[ref]: ~/blog/other.md',
        '`[code](2024-01-02-other.md)`',
      ]) {
        assert.ok(body.includes(words.replaceAll('~', SITE_ADDRESS)), `${path}: ${words}`)
      }
    }
  })

  it('are absolute in the feeds', async () => {
    const { items } = (await get(site, '/feed.json')).body
    const good = items.find(({ title }: { title: string }) => title === 'Good')
    assert.ok(good.content_html.includes(`<a href="${SITE_ADDRESS}/blog/other#the-part">b</a>`))
    assert.ok((await get(site, '/feed.xml')).body.includes(`href="${SITE_ADDRESS}/blog/other"`))
  })

  it('that lead nowhere are logged with their lines, and no others are', () => {
    const expected = BROKEN.flatMap(
      ([, words], index) => words && [`content/posts/broken.md:${5 + 2 * index}: ${words}`],
    )
    assert.deepEqual(fileErrorsIn(site).sort(), expected.filter(Boolean).sort())
  })

  it('lead from draft to draft while both are drafts', async () => {
    const { body } = await get(site, '/dev/drafts/blog/rough')
    assert.ok(body.includes('<a href="/dev/drafts/plan">plan</a>'))
  })

  it('follow a file that gets another address, and are logged when it is gone', async (test) => {
    const live = await startSite({
      'posts/one.md': markdown({ title: 'One', date: '2024-01-01' }, '[two](two.md)'),
      'posts/two.md': markdown({ title: 'Two', date: '2024-01-01' }),
    })
    cleanUp(test, () => live.close())
    const leadsTo = (path: string) =>
      eventually(async () => assert.ok((await get(live, '/blog/one')).body.includes(`<a href="${path}">two</a>`)))
    await leadsTo('/blog/two')
    await live.write('posts/two.md', markdown({ title: 'Two', date: '2024-01-01', slug: 'second' }))
    await leadsTo('/blog/second')
    assert.deepEqual(fileErrorsIn(live), [])
    await live.remove('posts/two.md')
    await leadsTo('two.md')
    assert.deepEqual(fileErrorsIn(live), [
      'content/posts/one.md:5: there is no post or page posts/two.md for the link two.md',
    ])
  })
})
