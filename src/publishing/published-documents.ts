import { documentAddresses } from '../content/content-faults.ts'
import type { Document } from '../content/document.ts'
import { linkFiles } from '../content/file-links.ts'
import { isPublic, type Library, type Page, type Post } from '../content/library.ts'
import type { Rendered } from '../content/markdown.ts'
import { mapInSteps } from '../lib/one-by-one.ts'
import type { WaitingPage } from '../pages/drafts.ts'
import { markdownPath } from '../pages/layout.ts'
import { type PublishedPage, type PublishedPost, plainPage, postPage } from '../pages/site-pages.ts'
import type { documentPictures } from './document-pictures.ts'

interface Sources {
  library: Library
  render: (markdown: string) => Rendered
  shown: ReturnType<typeof documentPictures>
  baseUrl: string
}

/** The posts and pages of the folder: those that are public now, and those that are not yet. None is rendered here. */
export async function publishedDocuments({ library, render, shown, baseUrl }: Sources, now: Date) {
  const addresses = documentAddresses(library)
  const isPublicNow = (document: Post | Page) => isPublic(document, now)
  const isWaiting = (document: Post | Page) => !isPublicNow(document)
  return {
    posts: await mapInSteps(library.posts.filter(isPublicNow), publishedPost),
    pages: await mapInSteps(library.pages.filter(isPublicNow), publishedPage),
    waiting: (): WaitingPage[] => [
      ...library.posts
        .filter(isWaiting)
        .map(publishedPost)
        .map((document) => ({ document, build: () => postPage(document) })),
      ...library.pages
        .filter(isWaiting)
        .map(publishedPage)
        .map((document) => ({ document, build: () => plainPage(document, document.body()) })),
    ],
  }

  function publishedPost(post: Post): PublishedPost {
    return { ...post, ...renderable(post), modified: notFuture(post.modified, post.date) }
  }

  function publishedPage(page: Page): PublishedPage {
    return { ...page, ...renderable(page), modified: notFuture(page.modified, page.date) }
  }

  /** A modification date in the future is replaced by the date of publication. */
  function notFuture(modified: Date, published = now): Date {
    return modified <= now ? modified : published
  }

  function renderable(document: Document): Pick<PublishedPage, 'path' | 'markdownUrl' | 'source' | 'body' | 'cover'> {
    const { file, markdown, image } = document
    const path = addresses.get(file) ?? ''
    const markdownUrl = (path: string) => baseUrl + markdownPath(path)
    const body = () => {
      const rendered = render(markdown)
      const linked = linkFiles(file, rendered, addresses, baseUrl + path, markdownUrl)
      const html = shown.inText(linked.html, path, image !== undefined)
      return { ...rendered, ...linked, html, feedHtml: linked.html }
    }
    return {
      path,
      markdownUrl: markdownUrl(path),
      source: markdown,
      body,
      cover: () => shown.coverOf(document, path),
    }
  }
}
