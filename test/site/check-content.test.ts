import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkContent } from '../../src/content/check-content.ts'
import { cleanUp } from '../support/clean-up.ts'
import { PNG } from '../support/pictures.ts'
import { fileErrorsIn, SITE_ADDRESS, startSite } from '../support/site.ts'

const post = (title: string, text = '', more = '') => `---\ntitle: ${title}\ndate: 2026-01-01\n${more}---\n${text}`

describe('the check of the content folder', () => {
  it('finds the faults that the service logs, with file and line', async (t) => {
    const site = await startSite({
      'site.yaml': 'title: Site\nlogo: /images/none.svg\ncolour: red\n',
      'posts/broken.md': 'no front matter',
      'posts/links.md': post('Links', '[a](missing.md) [b](#none) [c](draft.md)\n\n![d](none.png)\n\n<!-- open\n'),
      'posts/draft.md': post('Draft', '![used](../images/used.png)', 'draft: true\n'),
      'posts/two.md': post('Two', '', 'slug: links\n'),
      'pages/blog.md': '---\ntitle: Blog\n---\n',
      'pages/icon.md': '---\ntitle: Icon\n---\n![icon](/favicon.svg) ![icon](/favicon.ico) ![no icon](/favicon.png)',
      'notes.md': 'misplaced',
      'images/used.png': PNG,
    })
    cleanUp(t, () => site.close())
    const { faults } = await checkContent(site.folder, SITE_ADDRESS)
    const logged = site.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
    assert.deepEqual(
      faults.map(({ message }) => `${site.folder}/${message}`).sort(),
      logged.map(({ message }) => message).sort(),
    )
    assert.equal(faults.length, 12)
    const [picture] = faults.filter(({ problem }) => problem.startsWith('there is no picture none.png'))
    assert.deepEqual([picture?.file, picture?.line], ['posts/links.md', 7])
  })

  it('knows every file that the service makes from the content, as the target of links and redirects', async (t) => {
    const long = Object.fromEntries(
      [2021, 2022].map((year) => [
        `posts/p${year}.md`,
        `---\ntitle: P${year}\ndate: ${year}-01-01\n---\n${'A word. '.repeat(80_000)}`,
      ]),
    )
    const links = ['/tags/sql/feed.xml', '/tags/sql/feed.json', '/llms-full/2021.txt', '/llms-full.txt', '/feed.xml']
    const broken = ['/tags/none/feed.xml', '/llms-full/1999.txt']
    const site = await startSite({
      'site.yaml': `title: Site\nredirects:\n${[...links, ...broken].map((path, place) => `  /r${place}: ${path}\n`).join('')}`,
      'posts/sql.md': post('SQL', [...links, ...broken].map((path) => `[a](${path})\n`).join('\n'), 'tags: [SQL]\n'),
      ...long,
    })
    cleanUp(t, () => site.close())
    for (const path of links) assert.equal((await fetch(site.url + path)).status, 200, path)
    const { faults } = await checkContent(site.folder, SITE_ADDRESS)
    assert.deepEqual(
      faults.map(({ message }) => message),
      [
        'posts/sql.md:16: there is no file /tags/none/feed.xml for the link /tags/none/feed.xml',
        'posts/sql.md:18: there is no file /llms-full/1999.txt for the link /llms-full/1999.txt',
        'site.yaml:8: /r5 does not redirect: there is nothing at /tags/none/feed.xml',
        'site.yaml:9: /r6 does not redirect: there is nothing at /llms-full/1999.txt',
      ],
    )
    assert.deepEqual(faults.map(({ message }) => `content/${message}`).sort(), fileErrorsIn(site).sort())
  })

  it('checks the links of site.yaml, the headings of redirects, and the files of site.css', async (t) => {
    const site = await startSite({
      'site.yaml': `title: Site
navigation:
  - { title: Good, url: "/about#work" }
  - { title: Gone, url: /nope }
links:
  - { title: Part, url: "/about#nope" }
  - { title: Elsewhere, url: "https://other.example/nope" }
redirects:
  /me: /about#nope
  /work: /about#work
`,
      'pages/about.md': '---\ntitle: About\n---\n## Work\n',
      'site.css':
        'main { background: url(/images/here.png) }\n/* url(/images/old.png)\n*/ a { background: url("/images/gone.png") }\nb { background: url(data:,x) url(#x) }\n',
      'images/here.png': PNG,
    })
    cleanUp(t, () => site.close())
    const { faults } = await checkContent(site.folder, SITE_ADDRESS)
    const messages = faults.map(({ message }) => message)
    assert.deepEqual(messages, [
      'site.css:3: there is no file /images/gone.png: it belongs in images/, or beside this file',
      'site.yaml:4: there is no page /nope for the link /nope',
      'site.yaml:6: there is no heading #nope in pages/about.md',
      'site.yaml:9: there is no heading #nope in pages/about.md',
    ])
    assert.deepEqual(fileErrorsIn(site).sort(), messages.map((message) => `content/${message}`).sort())
  })

  it('warns of equal titles, files that nothing uses and misspelt options of code, also in drafts', async (t) => {
    const site = await startSite({
      'site.yaml': 'title: Site\nportrait: /images/me.png\nredirects:\n  /cv: /images/cv.pdf\n',
      'posts/one.md': post('Same title', '![a](../images/a.png) [pdf](/images/b.pdf)'),
      'posts/draft.md': post(
        'Same  Title',
        `![c](${SITE_ADDRESS}/images/c%20c.png)\n\n\`\`\`ts lineNumber\n\`\`\`\n`,
        'draft: true\n',
      ),
      'pages/same.md': '---\ntitle: same title\n---\n',
      'images/me.png': PNG,
      'images/a.png': PNG,
      'images/b.pdf': 'pdf',
      'images/cv.pdf': 'pdf',
      'images/c c.png': PNG,
      'images/deep/unused.png': PNG,
      'posts/beside.png': PNG,
      'site.css': 'main { background: url("/images/styled.png") }',
      'images/styled.png': PNG,
    })
    cleanUp(t, () => site.close())
    const { faults, warnings, posts, pages, drafts, scheduled } = await checkContent(site.folder, SITE_ADDRESS)
    assert.deepEqual([posts, pages, drafts.length + scheduled.length, faults.length], [1, 1, 1, 0])
    const expected = [
      'images/deep/unused.png:1: is used by no post and no page',
      'pages/same.md:1: has the same title as posts/one.md',
      'posts/beside.png:1: is used by no post and no page',
      'posts/draft.md:8: "lineNumber" is no option of a block of code: did you mean "lineNumbers"?',
    ]
    assert.deepEqual(
      warnings.map(({ message }) => message),
      expected,
    )
    const logged = site.lines.flatMap((line) => JSON.parse(line).message?.split(`${site.folder}/`)[1] ?? [])
    assert.deepEqual(logged.sort(), expected)
    assert.deepEqual(fileErrorsIn(site), [])
  })
})
