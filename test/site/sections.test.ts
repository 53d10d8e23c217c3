import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { get } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { PNG } from '../support/pictures.ts'
import { eventually, fileErrorsIn, linksTo, markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const SITE_YAML = `title: A tool
sections:
  - title: Start
    pages: [tutorial.md]
  - title: Guides & more
    pages:
      - guides/backup.md
      - guides/mail/tls.md
      - guides/later.md
      - guides/gone.md
      - tutorial.md
      - index.md
`
const BACKUP = `[mail](mail/tls.md#keys) ![A disk](disk.png) ![A cat](../../images/cat.png) [post](../../posts/hello.md)

## First

## Second

## Third

\`\`\`sh
cp a b
\`\`\`
`
const FILES = {
  'site.yaml': SITE_YAML,
  'pages/index.md': markdown({ description: 'What the tool does' }, '[Start](tutorial.md)\n\n```sh\nnpm start\n```'),
  'pages/tutorial.md': markdown({ title: 'Tutorial', description: 'In ten minutes' }, '[next](guides/backup.md)'),
  'pages/about.md': markdown({ title: 'About' }),
  'pages/guides/backup.md': markdown({ title: 'Back up', date: '2024-01-02', tags: ['Disks'] }, BACKUP),
  'pages/guides/disk.png': PNG,
  'pages/guides/mail/tls.md': markdown({ title: 'TLS', slug: 'encryption' }, '## Keys\n\n[up](../backup.md)'),
  'pages/guides/later.md': markdown({ title: 'Later', draft: true }),
  'pages/guides/forgotten.md': markdown({ title: 'Forgotten' }),
  'pages/blog/picture.png': PNG,
  'pages/assets/picture.png': PNG,
  'images/cat.png': PNG,
  'posts/hello.md': markdown({ title: 'Hello', date: '2024-01-01' }, '[guide](../pages/guides/backup.md)'),
}

describe('pages in folders and sections', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    Object.assign(site, await startSite(FILES))
    cleanUp(suite, () => site.close())
  })
  const page = async (path: string): Promise<string> => {
    const { status, body } = await get(site, path)
    assert.equal(status, 200, path)
    return body
  }
  const within = (body: string, begin: string, end: string) => body.split(begin)[1]?.split(end)[0] ?? ''

  it('have the address of their file, and the pictures beside them', async () => {
    const body = await page('/guides/backup')
    assert.match(body, new RegExp(`<link rel="canonical" href="${SITE_ADDRESS}/guides/backup">`))
    assert.match(await page('/guides/mail/encryption'), /<h1>TLS<\/h1>/)
    for (const path of ['/guides/disk.png', '/guides/backup.md', '/guides/mail/encryption.md']) await page(path)
    for (const path of [
      '/guides',
      '/guides/mail/tls',
      '/blog/picture.png',
      '/assets/picture.png',
      '/pages/guides/backup',
    ])
      assert.equal((await get(site, path)).status, 404, path)
  })

  it('link to other files by their addresses', async () => {
    const article = within(await page('/guides/backup'), '<article', '</article>')
    assert.match(article, /<a href="\/guides\/mail\/encryption#keys">mail<\/a>/)
    assert.match(article, /<a href="\/blog\/hello">post<\/a>/)
    assert.match(await page('/guides/mail/encryption'), /<a href="\/guides\/backup">up<\/a>/)
    assert.match(await page('/blog/hello.md'), /\[guide\]\(https:\/\/site\.example\/guides\/backup\.md\)/)
  })

  it('show all pages of all sections beside the text, with the current one marked', async () => {
    const body = await page('/guides/backup')
    const side = within(body, '<nav class="side-nav"', '</nav>')
    const unfolded = within(side, '<div class="unfolded">', '</div>')
    assert.deepEqual(linksTo(unfolded, '/'), ['/tutorial', '/guides/backup', '/guides/mail/encryption'])
    assert.deepEqual(
      [...unfolded.matchAll(/<h2 dir="auto">(.*?)<\/h2>/g)].map(([, title]) => title),
      ['Start', 'Guides &amp; more'],
    )
    assert.equal(unfolded.match(/<a href="\/guides\/backup" dir="auto" aria-current="page">Back up<\/a>/g)?.length, 1)
    assert.equal(unfolded.match(/aria-current/g)?.length, 1)
    assert.match(side, /<details><summary>All pages<\/summary>/)
    assert.match(body, /<p class="eyebrow">Guides &amp; more<\/p>\s*<h1>Back up<\/h1>/)
    assert.match(body, /<nav class="contents"[\s\S]*#third/)
    assert.match(body, /<script type="module" src="\/assets\/copy-code\./)
  })

  it('lead to the previous and the next page, also between sections and in markdown', async () => {
    const ends = async (path: string) =>
      [...(await page(path)).matchAll(/<a rel="(\w+)" href="([^"]+)"/g)].map(([, ...link]) => link)
    const endsInHead = async (path: string) =>
      [...(await page(path)).matchAll(/<link rel="(prev|next)" href="([^"]+)">/g)].map(([, ...link]) => link)
    assert.deepEqual(await ends('/tutorial'), [['next', '/guides/backup']])
    assert.deepEqual(await endsInHead('/tutorial'), [['next', `${SITE_ADDRESS}/guides/backup`]])
    assert.deepEqual(await endsInHead('/guides/backup'), [
      ['prev', `${SITE_ADDRESS}/tutorial`],
      ['next', `${SITE_ADDRESS}/guides/mail/encryption`],
    ])
    assert.deepEqual(await endsInHead('/about'), [])
    assert.deepEqual(await ends('/guides/backup'), [
      ['prev', '/tutorial'],
      ['next', '/guides/mail/encryption'],
    ])
    assert.deepEqual(await ends('/guides/mail/encryption'), [['prev', '/guides/backup']])
    assert.match(
      await page('/guides/backup.md'),
      /\n\nPrevious: \[Tutorial\]\(https:\/\/site\.example\/tutorial\.md\)\n\nNext: \[TLS\]\(https:\/\/site\.example\/guides\/mail\/encryption\.md\)\n$/,
    )
    assert.match(await page('/guides/backup.md'), /\ndate: "2024-01-02"\ntags: \["Disks"\]\n/)
    const full = await page('/llms-full.txt')
    assert.match(full, /# Back up/)
    assert.doesNotMatch(full, /^(?:Previous|Next): /m)
  })

  it('are on the home page and in llms.txt, in the order of site.yaml', async () => {
    const home = await page('/')
    assert.deepEqual(linksTo(within(home, '<ul class="section-cards">', '<div class="section-head">'), '/'), [
      '/tutorial',
      '/guides/backup',
      '/guides/mail/encryption',
    ])
    assert.match(home, /copy-code/)
    const llms = await page('/llms.txt')
    assert.match(
      llms,
      /## Start\n\n- \[Tutorial\]\(\S+\): In ten minutes\n\n## Guides & more\n\n- \[Back up\]\(\S+\)\n- \[TLS\]\(\S+\)\n\n## Posts/,
    )
    assert.match(llms, /## Pages\n\n- \[About\]\(\S+\)\n- \[Forgotten\]/)
    assert.match(await page('/sitemap.xml'), /<loc>https:\/\/site\.example\/guides\/backup<\/loc>/)
  })

  it('leave other pages as they are', async () => {
    for (const path of ['/about', '/guides/forgotten'])
      assert.doesNotMatch(await page(path), /side-nav|eyebrow|rel="next"/)
  })

  it('are named in the log when the list and the files differ', () => {
    assert.deepEqual(fileErrorsIn(site).sort(), [
      'content/pages/guides/forgotten.md:1: is in no section of site.yaml, unlike its neighbours',
      'content/site.yaml:10: there is no page pages/guides/gone.md: "pages" has files of pages/, such as guides/backup.md',
      'content/site.yaml:11: pages/tutorial.md is listed twice: it is in the section "Start" already',
      'content/site.yaml:12: pages/index.md is the home page: it cannot be in a section',
    ])
  })

  it('must be a list of titles with pages, or the sections stay as they were', async () => {
    await site.write('site.yaml', 'title: A tool\nsections:\n  - title: Start\n    pages: tutorial.md\n')
    await eventually(async () =>
      assert.ok(
        fileErrorsIn(site).includes(
          'content/site.yaml:3: each of "sections" must have a "title" and a list of "pages"',
        ),
      ),
    )
    assert.match(await page('/tutorial'), /side-nav/)
  })
})
