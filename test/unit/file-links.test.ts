import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenLinks } from '../../src/content/file-links.ts'
import { assertProcessorTime } from '../support/processor-time.ts'
import { render } from '../support/rendering.ts'

const COUNT = 4_000
const PAGE = { file: 'posts/long.md', firstLine: 1, isDraft: false, date: undefined }

describe('the links of a page', () => {
  it('are checked in linear time, with as many headings as links', async () => {
    const sections = Array.from({ length: COUNT }, (_, index) => `## Section ${index}\n\n[last](#section-${COUNT - 1})`)
    const page = { ...PAGE, ...render([...sections, '[none](#none)'].join('\n\n')) }
    const byFile = new Map([[PAGE.file, page]])
    const empty = { fileAt: new Map(), files: new Set<string>(), pages: new Set<string>() }
    const site = {
      ...empty,
      documents: byFile,
      published: byFile,
      headingsOf: () => page.headings,
      redirects: { targets: new Map() },
      origin: 'https://site.example',
    }
    await assertProcessorTime(125, () => {
      const faults = brokenLinks(page, 'https://site.example/blog/long', site)
      assert.deepEqual(
        faults.map(({ message }) => message),
        [`posts/long.md:${4 * COUNT + 1}: there is no heading #none in posts/long.md`],
      )
    })
  })
})
