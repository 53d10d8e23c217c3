import type { Document } from '../content/document.ts'
import type { Library } from '../content/library.ts'
import { pictureHtml, type ShownPicture, showPictures } from '../content/show-pictures.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import type { Cover } from '../pages/site-pages.ts'
import type { Pictures } from '../pictures/pictures.ts'

// The types that social networks show.
const PREVIEW_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** Shows the pictures of documents, with what is known about the files of the content folder. */
export function documentPictures({ attachments }: Library, pictures: Pictures, baseUrl: string) {
  const { origin } = new URL(baseUrl)

  function find(path: string): ShownPicture | undefined {
    const attachment = attachments.get(path)
    if (!attachment?.header) return undefined
    const { width, height, isAnimated } = attachment.header
    const isDrawing = attachment.type === 'image/svg+xml' || attachment.type === 'image/x-icon'
    return { path, width, height, sizes: isAnimated || isDrawing ? undefined : pictures.sizesOf(attachment) }
  }

  return {
    inText: (html: string, path: string, hasCover: boolean) => showPictures(html, baseUrl + path, find, hasCover),

    /** Requests the missing sizes of these pictures. */
    requestSizes(addresses: string[], page: string): void {
      for (const address of addresses) {
        const url = URL.parse(address, baseUrl + page)
        if (url?.origin === origin) find(url.pathname)
      }
    },

    /** The width of a picture that is shown at a height. */
    widthOf(path: string, height: number): number | undefined {
      const { header } = attachments.get(path) ?? {}
      return header && Math.round((header.width / header.height) * height)
    },

    /** The picture of the front matter. Undefined if there is none, or no such file. */
    coverOf({ image, imageAlt, title }: Document, page: string): Cover | undefined {
      const path = image && URL.parse(image.address, baseUrl + page)?.pathname
      const attachment = path ? attachments.get(path) : undefined
      const shown = path ? find(path) : undefined
      if (!path || !attachment || !shown) return undefined
      const { width, height } = shown
      const attributes = `class="cover" src="${escapeHtml(path)}" alt="${escapeHtml(imageAlt)}"`
      return {
        ...{ path, alt: imageAlt, type: attachment.type, bytes: attachment.size },
        html: pictureHtml(attributes, shown, 'first'),
        preview: PREVIEW_TYPES.includes(attachment.type) ? { path, width, height, alt: imageAlt || title } : undefined,
      }
    },
  }
}
