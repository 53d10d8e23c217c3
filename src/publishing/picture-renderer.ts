import type { Document } from '../content/document.ts'
import type { Library } from '../content/library.ts'
import {
  addDimensions,
  boxedPictureHtml,
  type Dimensions,
  pictureHtml,
  type ShownPicture,
  showPictures,
} from '../content/show-pictures.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import type { Cover } from '../pages/site-pages.ts'
import type { Pictures } from '../pictures/pictures.ts'

// The types that social networks show.
const PREVIEW_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export type PictureRenderer = ReturnType<typeof createPictureRenderer>

/** Renders the `<img>` elements of documents, with the metadata of the files of the content folder. */
export function createPictureRenderer({ attachments }: Library, pictures: Pictures, baseUrl: string) {
  const { origin } = new URL(baseUrl)

  function dimensionsOf(path: string): Dimensions | undefined {
    return attachments.get(path)?.header
  }

  function findPicture(path: string): ShownPicture | undefined {
    const attachment = attachments.get(path)
    if (!attachment?.header) return undefined
    const { width, height, isAnimated } = attachment.header
    const isDrawing = attachment.type === 'image/svg+xml' || attachment.type === 'image/x-icon'
    return { path, width, height, sizes: isAnimated || isDrawing ? undefined : pictures.sizesOf(attachment) }
  }

  return {
    renderForPage: (html: string, path: string, hasCover: boolean) =>
      showPictures(html, baseUrl + path, findPicture, hasCover),

    /** Feed readers get the original pictures, not their smaller sizes. */
    renderForFeed: (html: string, path: string) => addDimensions(html, baseUrl + path, dimensionsOf),

    /** Requests the missing sizes of the pictures of a page. */
    requestSizes(addresses: string[], page: string): void {
      for (const address of addresses) {
        const url = URL.parse(address, baseUrl + page)
        // Reading the sizes of a picture starts the making of those that are missing.
        if (url?.origin === origin) findPicture(url.pathname)
      }
    },

    /** The `<img>` element of a picture that decorates the site, in a box of this size. Undefined without a path. */
    renderDecoration(path: string, name: string, box: { width?: number; height: number }): string | undefined {
      return path
        ? boxedPictureHtml(`class="${name}" src="${escapeHtml(path)}" alt=""`, findPicture(path), box)
        : undefined
    },

    /** The picture of the front matter. Undefined if there is none, or no such file. */
    coverOf(
      { image, imageAlt, title }: Pick<Document, 'image' | 'imageAlt' | 'title'>,
      page: string,
    ): Cover | undefined {
      const path = image && URL.parse(image.address, baseUrl + page)?.pathname
      const attachment = path ? attachments.get(path) : undefined
      const shown = path ? findPicture(path) : undefined
      if (!path || !attachment || !shown) return undefined
      const { width, height } = shown
      const attributes = `class="cover" src="${escapeHtml(path)}" alt="${escapeHtml(imageAlt)}"`
      return {
        url: baseUrl + path,
        alt: imageAlt,
        type: attachment.type,
        bytes: attachment.size,
        html: pictureHtml(attributes, shown, 'first'),
        preview: PREVIEW_TYPES.includes(attachment.type) ? { path, width, height, alt: imageAlt || title } : undefined,
      }
    },
  }
}
