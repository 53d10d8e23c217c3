import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenLinks } from '../../src/content/file-links.ts'
import { createRenderer } from '../../src/content/markdown.ts'
import { deserializeAnchors, metadataAndCodeOf } from '../../src/content/serialized-metadata.ts'
import { assertProcessorTime } from '../support/measuring.ts'

const COUNT = 4_000
const PAGE_URL = 'https://site.example/blog/links'
const renderMarkdown = createRenderer()

function linkTo(address: string): string {
  return `[last](${address}section-${COUNT - 1})`
}

/** A site of two posts: one with many headings, and one with many links to its last heading, and one to none. */
function siteWith(address: string) {
  const links = renderMarkdown([...Array(COUNT).fill(linkTo(address)), `[none](${address}none)`].join('\n\n'))
  const sections = Array.from({ length: COUNT }, (_, index) => `## Section ${index}`)
  const { metadata } = metadataAndCodeOf(renderMarkdown(sections.join('\n\n')))
  const page = { file: 'posts/links.md', firstLine: 1, isDraft: false, date: undefined, ...links }
  const byFile = new Map([page, { ...page, file: 'posts/sections.md' }].map((document) => [document.file, document]))
  const site = {
    documents: byFile,
    published: byFile,
    fileAt: new Map(),
    files: new Set<string>(),
    pages: new Set<string>(),
    redirects: { targets: new Map() },
    origin: 'https://site.example',
    // Of both posts: a link to the page itself leads to these headings too.
    anchorsOf: () => deserializeAnchors(metadata),
  }
  return { page, site }
}

describe('the links of a page', () => {
  for (const { to, address, file } of [
    { to: 'its own headings', address: '#', file: 'posts/links.md' },
    { to: 'the headings of another page', address: 'sections.md#', file: 'posts/sections.md' },
  ]) {
    it(`to ${to} are checked in linear time`, async () => {
      const { page, site } = siteWith(address)
      await assertProcessorTime(125, () => {
        const faults = brokenLinks(page, PAGE_URL, site)
        assert.deepEqual(
          faults.map(({ message }) => message),
          [`posts/links.md:${2 * COUNT + 1}: there is no heading #none in ${file}`],
        )
      })
    })
  }
})
