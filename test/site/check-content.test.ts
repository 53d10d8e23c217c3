import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkContent } from '../../src/content/check-content.ts'
import { cleanUp } from '../support/clean-up.ts'
import { PNG } from '../support/pictures.ts'
import { SITE_ADDRESS, startSite } from '../support/site.ts'

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

  it('warns of equal titles and of files that nothing uses, also in drafts', async (t) => {
    const site = await startSite({
      'site.yaml': 'title: Site\nportrait: /images/me.png\n',
      'posts/one.md': post('Same title', '![a](../images/a.png) [pdf](/images/b.pdf)'),
      'posts/draft.md': post('Same  Title', `![c](${SITE_ADDRESS}/images/c%20c.png)`, 'draft: true\n'),
      'pages/same.md': '---\ntitle: same title\n---\n',
      'images/me.png': PNG,
      'images/a.png': PNG,
      'images/b.pdf': 'pdf',
      'images/c c.png': PNG,
      'images/deep/unused.png': PNG,
      'posts/beside.png': PNG,
      'site.css': 'main { background: url("/images/styled.png") }',
      'images/styled.png': PNG,
    })
    cleanUp(t, () => site.close())
    const { faults, warnings, posts, pages, drafts, scheduled } = await checkContent(site.folder, SITE_ADDRESS)
    assert.deepEqual([posts, pages, drafts.length + scheduled.length, faults.length], [1, 1, 1, 0])
    assert.deepEqual(
      warnings.map(({ message }) => message),
      [
        'pages/same.md:1: has the same title as posts/one.md',
        'images/deep/unused.png:1: is used by no post and no page',
        'posts/beside.png:1: is used by no post and no page',
      ],
    )
  })
})
