import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { fileErrorsIn, markdown, startSite, type TestSite } from '../support/site.ts'

const GOOD = markdown({ title: 'Good', date: '2024-01-01' })

const BAD_POSTS: [what: string, content: string | Uint8Array, line: number, words: RegExp][] = [
  ['a colon in a text', '---\ndate: 2024-01-01\ntitle: Faulty: yaml\n---\nx', 3, /a text with ": " in it needs quotes/],
  ['a comment in a list', '---\ntitle: Faulty\ntags: [C, #c]\n---\nx', 3, /" #" begins a comment/],
  ['a field twice', '---\ntitle: A\ndate: 2024-01-01\ntitle: Faulty\n---\nx', 4, /unique/],
  ['no front matter', 'Faulty', 1, /front matter/],
  ['front matter without end', '---\ntitle: Faulty\n\nText', 1, /the front matter has no end/],
  ['front matter that is a list', '---\n- Faulty\n---\n', 2, /fields/],
  ['no title', markdown({ date: '2024-01-01' }), 2, /"title" is missing/],
  ['a title that is not text', '---\ndate: 2024-01-01\ntitle: [Faulty]\n---\n', 3, /"title" must be text/],
  ['no date', markdown({ title: 'Faulty' }), 2, /"date" is missing/],
  ...['2024-02-30', '2024-02-30T10:00:00Z', '2024-13-01', 'soon', '1.1.2024', '2024-01-01 (about)', '2024'].map(
    (date): [string, string, number, RegExp] => [
      `the date ${date}`,
      `---\ntitle: Faulty\ndate: ${date}\n---\n`,
      3,
      /"date" must be a date such as 2026-12-31 or 2026-12-31T09:00Z/,
    ],
  ),
  ['tags that are no list', '---\ntitle: Faulty\ndate: 2024-01-01\ntags: a\n---\n', 4, /"tags" must be a list/],
  ['a draft of maybe', '---\ntitle: Faulty\ndate: 2024-01-01\ndraft: maybe\n---\n', 4, /"draft" must be true/],
  ...['darft', 'Draft', 'drafts', 'draf'].map((field): [string, string, number, RegExp] => [
    `a field ${field}, which may have been meant to keep it back`,
    `---\ntitle: Faulty\ndate: 2024-01-01\n${field}: true\n---\n`,
    4,
    new RegExp(`"${field}" is not a field: did you mean "draft"\\? The file is not published`),
  ]),
  ['an invalid address', '---\ntitle: Faulty\ndate: 2024-01-01\nslug: Über uns\n---\n', 4, /such as uber-uns/],
  ['more than a megabyte', GOOD + 'word '.repeat(210_000), 1, /is larger than 1 MiB/],
  ['bytes that are no text', Buffer.from([...Buffer.from(GOOD), 0xff]), 1, /UTF-8/],
]

const OWN_ADDRESSES =
  `account api archive assets blog dev docs feed forgot-password healthz log-in log-out owner readyz reset-password
  search sign-in sign-up series tags undo-email-change uploads verify-email`.split(/\s+/)
const BAD_NAMES: [file: string, words: RegExp][] = [
  ['posts/2024-01-01-Bad Name.md', /the address must be .*, such as bad-name: rename the file, or give it a "slug"/],
  ['posts/é.md', /such as e:/],
  ['posts/привет.md', /hyphens: rename/],
  ['posts/a_b.md', /such as a-b:/],
  ['posts/-.md', /the address must be/],
  ['pages/About.md', /such as about:/],
  ...OWN_ADDRESSES.map((name): [string, RegExp] => [
    `pages/${name}.md`,
    new RegExp(`the address /${name} belongs to the site itself`),
  ]),
  ['pages/blog/a.md', /the address \/blog\/a belongs to the site itself/],
  ['pages/images/a.md', /the address \/images\/a belongs to the site itself/],
  [
    'pages/My Guides/a.md',
    /the folder "My Guides" must be of lower-case letters, digits and hyphens, such as my-guides/,
  ],
  ['pages/guides/About.md', /such as about:/],
  ['pages/guides/index.md', /"index" is the home page only: the page of this folder is pages\/guides\.md/],
]
const NOT_READ = ['posts/a.MD', 'posts/a.mdx', 'posts/2024/a.md', 'pages/a/b/c/d.md', 'a.md', 'site.yml', 'images/a.md']

const FAULTY_TEXT = GOOD.replace('Good', 'Faulty')
const FAULTY: [what: string, file: string, content: string | Uint8Array, line: number, words: RegExp][] = [
  ...BAD_POSTS.map(([what, content, line, words], number): (typeof FAULTY)[number] => [
    `with ${what}`,
    `posts/bad-${number}.md`,
    content,
    line,
    words,
  ]),
  ...BAD_NAMES.map(([file, words]): (typeof FAULTY)[number] => [`named ${file}`, file, FAULTY_TEXT, 1, words]),
  [
    'whose name ends the path of a URL',
    'images/a#b.png',
    'png',
    1,
    /is not published: the name of a file must be without # and \?/,
  ],
  ...NOT_READ.map((file): (typeof FAULTY)[number] => [`at ${file}`, file, FAULTY_TEXT, 1, /is not read: posts are/]),
]

describe('a faulty file', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const faulty = FAULTY.map(([, file, content]) => [file, content])
    const files = {
      'posts/good.md': GOOD,
      'pages/about.md': markdown({ title: 'About' }),
      ...Object.fromEntries(faulty),
    }
    Object.assign(site, await startSite(files))
    cleanUp(suite, () => site.close())
  })

  for (const [what, file, , line, words] of FAULTY) {
    it(`${what} is logged with its line, and left out`, async () => {
      const [fault = '', ...more] = fileErrorsIn(site).filter((message) => message.startsWith(`content/${file}:`))
      assert.deepEqual(more, [])
      assert.ok(fault.startsWith(`content/${file}:${line}: `), fault)
      assert.match(fault, words)
      assert.equal((await get(site, `/blog/${encodeURI(basename(file, '.md'))}`)).status, 404)
    })
  }

  it('that is no regular file is not read', async (test) => {
    const folder = await mkdtemp(join(tmpdir(), 'portico-pipes-'))
    cleanUp(test, () => rm(folder, { recursive: true }))
    await mkdir(join(folder, 'pages'))
    await writeFile(join(folder, 'pages/about.md'), markdown({ title: 'About' }))
    // Opening a pipe blocks until a writer opens it.
    execFileSync('mkfifo', [join(folder, 'pages/pipe.md')])
    await symlink('pipe.md', join(folder, 'pages/link.md'))
    const piped = await startSite({}, { CONTENT_DIR: folder })
    cleanUp(test, () => piped.close())
    assert.equal((await get(piped, '/about')).status, 200)
    for (const path of ['/pipe', '/link']) assert.equal((await get(piped, path)).status, 404)
    assert.ok(piped.lines.some((line) => line.includes('pages/link.md:1: is no file')))
  })

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

  it('with the address of another is logged with it, and the older one is served', async (test) => {
    const site = await startSite({
      'posts/2024-01-01-same.md': markdown({ title: 'One', date: '2024-01-01' }),
      'posts/2024-02-01-same.md': markdown({ title: 'Two', date: '2024-02-01' }),
      'posts/2999-01-01-same.md': markdown({ title: 'To come', date: '2999-01-01' }),
      'posts/elsewhere.md': markdown({ title: 'Draft', date: '2023-01-01', slug: 'same', draft: true }),
      'posts/three.md': '---\ntitle: Three\ndate: 2025-01-01\nslug: same\n---\n',
    })
    cleanUp(test, () => site.close())
    // The author can only find the files by their real names.
    assert.deepEqual(fileErrorsIn(site), [
      'content/posts/2024-02-01-same.md:1: has the address /blog/same, like posts/2024-01-01-same.md',
      'content/posts/three.md:4: has the address /blog/same, like posts/2024-01-01-same.md',
      'content/posts/2999-01-01-same.md:1: has the address /blog/same, like posts/2024-01-01-same.md',
    ])
    assert.match((await get(site, '/blog/same')).body, /<h1>One<\/h1>/)
    assert.equal((await get(site, '/feed.json')).body.items.length, 1)
  })

  it('may have another address than its name', async (test) => {
    const site = await startSite({
      'posts/2024-01-01-Привет, мир.md': markdown({ title: 'Hello', date: '2024-01-01', slug: 'hello-world' }),
    })
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), [])
    assert.match((await get(site, '/blog/hello-world')).body, /<h1>Hello<\/h1>/)
  })

  it('with several faulty fields names all of them', async (test) => {
    const site = await startSite({
      'posts/faulty.md': '---\ntitle: [Faulty]\ndate: soon\ndarft: true\ntoc: maybe\ncolour: red\n---\n',
    })
    cleanUp(test, () => site.close())
    assert.deepEqual(
      fileErrorsIn(site)
        .map((message) => /:(\d+): "(\w+)"/.exec(message)?.slice(1).join(' '))
        .sort(),
      ['2 title', '3 date', '4 darft', '5 toc', '6 colour'],
    )
    assert.equal((await get(site, '/blog/faulty')).status, 404)
  })

  it('with unknown fields is served, and each field is logged with its line', async (test) => {
    const site = await startSite({
      'posts/post.md': '---\ntitle: Post\ncolour: red\ndate: 2024-01-01\ndescripton: x\n---\n',
    })
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), [
      'content/posts/post.md:3: "colour" is not a field',
      'content/posts/post.md:5: "descripton" is not a field: did you mean "description"?',
    ])
    assert.equal((await get(site, '/blog/post')).status, 200)
  })

  it('of a page names the fields that have an effect on posts only', async (test) => {
    const lines = ['image: gone.png', 'imageAlt: A text', 'series: One', 'title: Page']
    const site = await startSite({ 'pages/page.md': `---\n${lines.join('\n')}\n---\n` })
    cleanUp(test, () => site.close())
    assert.deepEqual(
      fileErrorsIn(site).sort(),
      ['image', 'imageAlt', 'series'].map(
        (name, index) => `content/pages/page.md:${index + 2}: "${name}" has no effect on a page`,
      ),
    )
    assert.equal((await get(site, '/page')).status, 200)
  })

  it('of the home page names the table of contents, which it has not', async (test) => {
    const site = await startSite({ 'pages/index.md': '---\ntoc: true\n---\n## A\n\n## B\n\n## C\n' })
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), ['content/pages/index.md:2: "toc" has no effect on the home page'])
    const { body } = await get(site, '/')
    assert.match(body, /id="c"/)
    assert.doesNotMatch(body, /class="contents"/)
  })

  it('may leave optional fields empty', async (test) => {
    const site = await startSite({
      'posts/post.md': '---\ntitle: Post\ndate: 2024-01-01\ndescription:\ntags:\nupdated: ""\n---\n',
      'site.yaml': 'title: Site\ndescription: ""\nnavigation:\nlinks:\n',
    })
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), [])
    assert.equal((await get(site, '/blog/post')).status, 200)
  })

  it('does not end its front matter at three dashes at the end of a line', async (test) => {
    const site = await startSite({ 'posts/dashes.md': '---\ntitle: More ---\ndate: 2024-01-01\n---\nText' })
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), [])
    assert.match((await get(site, '/blog/dashes')).body, /<h1>More ---<\/h1>/)
  })

  it('may begin with a byte order mark and have CRLF line ends', async (test) => {
    const site = await startSite({ 'posts/windows.md': `\uFEFF${GOOD}`.replaceAll('\n', '\r\n') })
    cleanUp(test, () => site.close())
    assert.deepEqual(fileErrorsIn(site), [])
    assert.match((await get(site, '/blog/windows')).body, /<h1>Good<\/h1>/)
  })
})
