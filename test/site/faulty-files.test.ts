import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { faultsIn, markdown, startSite, type TestSite } from '../support/site.ts'

const GOOD = markdown({ title: 'Good', date: '2024-01-01' })

const BAD_POSTS: [what: string, content: string | Uint8Array, line: number, words: RegExp][] = [
  ['YAML that is none', '---\ntitle: Faulty\ndate: a: b\n---\nx', 3, /mapping/i],
  ['a field twice', '---\ntitle: A\ndate: 2024-01-01\ntitle: Faulty\n---\nx', 4, /unique/],
  ['no front matter', 'Faulty', 1, /front matter/],
  ['front matter without end', '---\ntitle: Faulty\n\nText', 1, /front matter/],
  ['front matter that is a list', '---\n- Faulty\n---\n', 2, /fields/],
  ['no title', markdown({ date: '2024-01-01' }), 2, /"title" is missing/],
  ['a title that is no text', '---\ndate: 2024-01-01\ntitle: [Faulty]\n---\n', 3, /"title" must be text/],
  ['no date', markdown({ title: 'Faulty' }), 2, /"date" is missing/],
  ...['2024-02-30', '2024-02-30T10:00:00Z', '2024-13-01', 'soon', '1.1.2024', '2024-01-01 (about)', '2024'].map(
    (date): [string, string, number, RegExp] => [
      `the date ${date}`,
      `---\ntitle: Faulty\ndate: ${date}\n---\n`,
      3,
      /"date" must be a date/,
    ],
  ),
  ['tags that are no list', '---\ntitle: Faulty\ndate: 2024-01-01\ntags: a\n---\n', 4, /"tags" must be a list/],
  ['a draft that is maybe', '---\ntitle: Faulty\ndate: 2024-01-01\ndraft: maybe\n---\n', 4, /"draft" must be true/],
  ['bytes that are no text', Buffer.from([...Buffer.from(GOOD), 0xff]), 1, /UTF-8/],
]

// The last of them have addresses that belong to something else.
const BAD_NAMES = ['posts/Bad Name.md', 'posts/é.md', 'posts/a_b.md', 'posts/-.md', 'pages/About.md'].concat(
  ['blog', 'docs', 'api', 'dev', 'healthz', 'readyz'].map((name) => `pages/${name}.md`),
)

const FAULTY: [what: string, file: string, content: string | Uint8Array, line: number, words: RegExp][] = [
  ...BAD_POSTS.map(([what, content, line, words], number): (typeof FAULTY)[number] => [
    `with ${what}`,
    `posts/bad-${number}.md`,
    content,
    line,
    words,
  ]),
  ...BAD_NAMES.map((file): (typeof FAULTY)[number] => [
    `named ${file}`,
    file,
    GOOD.replace('Good', 'Faulty'),
    1,
    /address/,
  ]),
  [
    'with an unsafe link',
    'site.yaml',
    'title: Faulty\nlinks:\n  - { title: x, url: "javascript:x" }\n',
    3,
    /"links" must/,
  ],
]

describe('a faulty file', () => {
  const site = {} as TestSite
  before(async () => {
    const faulty = FAULTY.map(([, file, content]) => [file, content])
    const files = {
      'posts/good.md': GOOD,
      'pages/about.md': markdown({ title: 'About' }),
      ...Object.fromEntries(faulty),
    }
    Object.assign(site, await startSite(files))
  })
  after(() => site.close())

  for (const [what, file, , line, words] of FAULTY) {
    it(`${what} is said in the log with its line, and left out`, async () => {
      const [fault = '', ...more] = faultsIn(site).filter((message) => message.startsWith(`content/${file}:`))
      assert.deepEqual(more, [])
      assert.ok(fault.startsWith(`content/${file}:${line}: `), fault)
      assert.match(fault, words)
      assert.equal((await get(site, `/blog/${encodeURI(basename(file, '.md'))}`)).status, 404)
    })
  }

  it('does not keep the rest from being served', async () => {
    for (const path of ['/', '/blog', '/blog/good', '/about', '/docs', '/feed.xml']) {
      const { status, body } = await get(site, path)
      assert.equal(status, 200, path)
      assert.doesNotMatch(body, /Faulty/, path)
    }
    const addresses = [...(await get(site, '/sitemap.xml')).body.matchAll(/<loc>([^<]+)/g)].map(
      ([, address]) => address,
    )
    assert.deepEqual(addresses, [...new Set(addresses)])
  })

  it('with the address of another is named, and one of them is served', async (test) => {
    const site = await startSite({
      'posts/2024-01-01-same.md': markdown({ title: 'One', date: '2024-01-01' }),
      'posts/2024-02-01-same.md': markdown({ title: 'Two', date: '2024-02-01' }),
    })
    test.after(() => site.close())
    const [fault = '', ...more] = faultsIn(site)
    assert.deepEqual(more, [])
    // The author can only find the file by the name that it really has.
    assert.match(fault, /^content\/posts\/2024-0[12]-01-same\.md:1: another file has the same address/)
    assert.equal((await get(site, '/blog/same')).status, 200)
    assert.equal((await get(site, '/feed.json')).body.items.length, 1)
  })

  it('is no reason to take three dashes at the end of a line for the end of the front matter', async (test) => {
    const site = await startSite({ 'posts/dashes.md': '---\ntitle: More ---\ndate: 2024-01-01\n---\nText' })
    test.after(() => site.close())
    assert.deepEqual(faultsIn(site), [])
    assert.match((await get(site, '/blog/dashes')).body, /<h1>More ---<\/h1>/)
  })

  it('may begin with a byte order mark and have lines as Windows ends them', async (test) => {
    const site = await startSite({ 'posts/windows.md': `\uFEFF${GOOD}`.replaceAll('\n', '\r\n') })
    test.after(() => site.close())
    assert.deepEqual(faultsIn(site), [])
    assert.match((await get(site, '/blog/windows')).body, /<h1>Good<\/h1>/)
  })
})
