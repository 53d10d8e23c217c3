import assert from 'node:assert/strict'
import type { Library } from '../../src/content/library.ts'
import type { Publication } from '../../src/publishing/publication.ts'
import { createPublishDocuments } from '../../src/publishing/published-documents.ts'
import { SITE_ADDRESS } from '../support/site.ts'

/** Makes publications that have what the content analysis reads. No page can be rendered. */
export function createBarePublications(): (library: Library, now: string) => Promise<Publication> {
  const pictureRenderer = {
    renderForPage: (html: string) => html,
    renderForFeed: (html: string) => html,
    requestSizes() {},
    coverOf: () => undefined,
    renderDecoration: () => undefined,
  }
  const publishDocuments = createPublishDocuments(async () => assert.fail('nothing is rendered'), SITE_ADDRESS)
  return async (library, now) => {
    const { posts, pages } = await publishDocuments(library, pictureRenderer, new Date(now))
    const publication = {
      frame: { baseUrl: SITE_ADDRESS, site: library.site },
      published: { posts, pages, sections: [] },
      files: library.attachments,
      pages: new Set(['/blog']),
      redirects: { targets: new Map(), faults: [] },
    }
    return publication as unknown as Publication
  }
}
