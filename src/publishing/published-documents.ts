import { documentAddresses } from '../content/content-faults.ts'
import { type FileAddresses, linkFiles } from '../content/file-links.ts'
import { isPublic, type Library, type Page, type Post } from '../content/library.ts'
import type { Rendered } from '../content/markdown.ts'
import { mapInBackground } from '../lib/cooperative-scheduling.ts'
import type { WaitingPage } from '../pages/drafts.ts'
import { markdownPath } from '../pages/layout.ts'
import { type PublishedPage, type PublishedPost, plainPage, postPage } from '../pages/site-pages.ts'
import type { PictureRenderer } from './picture-renderer.ts'

/** Renders a document. Code that is not highlighted yet is plain. */
type Render = (markdown: string) => Promise<Omit<Rendered, 'html'> & { html: string }>

/** The posts and pages of one publication: those that are public now, and those that are not yet. */
interface PublishedDocuments {
  posts: PublishedPost[]
  pages: PublishedPage[]
  waiting(): WaitingPage[]
}

export type PublishDocuments = (
  library: Library,
  pictureRenderer: PictureRenderer,
  now: Date,
) => Promise<PublishedDocuments>

/**
 * Makes the published documents of each new publication. No document is rendered here. An unchanged document is the
 * same object in each publication, and renders with the addresses and pictures of the newest publication. Ten thousand
 * new objects with each publication would lengthen the pauses of the garbage collector.
 */
export function createPublishDocuments(render: Render, baseUrl: string): PublishDocuments {
  const known = new WeakMap<Post | Page, PublishedPost | PublishedPage>()
  let addresses: FileAddresses
  let pictureRenderer: PictureRenderer
  // All documents share these functions. Functions for each document would be more objects for the garbage collector.
  const methods = {
    async body() {
      const { file, source, path, image } = this
      const rendered = await render(source.toString())
      const linked = linkFiles(file, rendered, addresses, baseUrl + path, markdownUrl)
      const html = pictureRenderer.renderForPage(linked.html, path, image !== undefined)
      return {
        ...rendered,
        markdown: linked.markdown,
        html,
        feedHtml: () => pictureRenderer.renderForFeed(linked.html, path),
      }
    },
    cover() {
      return pictureRenderer.coverOf(this, this.path)
    },
    requestSizes(pictures) {
      const { image, path } = this
      pictureRenderer.requestSizes([...pictures, ...(image ? [image.address] : [])], path)
    },
  } satisfies Pick<PublishedPage, 'body' | 'cover' | 'requestSizes'> & ThisType<PublishedPage>

  return async (library, newestRenderer, now) => {
    addresses = await documentAddresses(library)
    pictureRenderer = newestRenderer
    const isPublicNow = (document: Post | Page) => isPublic(document, now)
    const isWaiting = (document: Post | Page) => !isPublicNow(document)
    const publishedPost = (post: Post) => published(post, now) as PublishedPost
    const publishedPage = (page: Page) => published(page, now) as PublishedPage
    return {
      posts: await mapInBackground(library.posts.filter(isPublicNow), publishedPost),
      pages: await mapInBackground(library.pages.filter(isPublicNow), publishedPage),
      waiting: () => [
        ...library.posts
          .filter(isWaiting)
          .map(publishedPost)
          .map((document) => ({ document, build: () => postPage(document) })),
        ...library.pages
          .filter(isWaiting)
          .map(publishedPage)
          .map((document) => ({ document, build: async () => plainPage(document, await document.body()) })),
      ],
    }
  }

  function published(document: Post | Page, now: Date): PublishedPost | PublishedPage {
    // A modification date in the future is replaced by the date of publication.
    const modified = document.modified <= now ? document.modified : (document.date ?? now)
    const previous = known.get(document)
    if (previous?.modified === modified) return previous
    const path = addresses.get(document.file) ?? ''
    const own = { path, markdownUrl: markdownUrl(path), source: document.markdown, modified }
    const fresh = { ...document, ...own, ...methods }
    known.set(document, fresh)
    return fresh
  }

  function markdownUrl(path: string): string {
    return baseUrl + markdownPath(path)
  }
}
