import { escapeHtml } from '../lib/escape-html.ts'
import { type PictureFormat, type PictureSizes, pictureName } from '../pictures/picture-facts.ts'

/** The size of a picture in pixels. */
export interface Dimensions {
  width: number
  height: number
}

/** A picture of this site. */
export interface ShownPicture extends Dimensions {
  path: string
  /** Undefined until they are made. */
  sizes: PictureSizes | undefined
}

/** The path below which the sizes of pictures are published, each below the path of its original. */
export const SIZES_PATH = '/assets/pictures'
// The measure of a text in tokens.css: 42rem, at 16 pixels to a rem.
const MEASURE_PIXELS = 672
const MEASURE_SIZES = '(min-width: 45rem) 42rem, 100vw'

/**
 * Completes the `<img>` elements in the HTML of a page. A picture of this site gets its width and height, so that the
 * text does not move when it arrives, and its smaller sizes. `find` returns the picture at a path. The first picture is
 * fetched early unless the page `hasCover`. All others are loaded when they come near the window.
 */
export function showPictures(
  html: string,
  page: string,
  find: (path: string) => ShownPicture | undefined,
  hasCover = false,
): string {
  let isFirst = !hasCover
  return replacePictures(html, page, find, (attributes, picture) => {
    const priority = isFirst ? 'first' : 'later'
    isFirst = false
    return pictureHtml(attributes, picture, priority)
  })
}

/** Adds width and height to the `<img>` elements of this site, for programs that show the HTML without its page. */
export function addDimensions(html: string, page: string, find: (path: string) => Dimensions | undefined): string {
  return replacePictures(
    html,
    page,
    find,
    (attributes, picture) => `<img ${attributes}${picture ? dimensionsHtml(picture) : ''}>`,
  )
}

/** Rewrites each `<img>`. `picture` is the result of `find` for a picture of this site, and otherwise undefined. */
function replacePictures<Picture>(
  html: string,
  page: string,
  find: (path: string) => Picture | undefined,
  write: (attributes: string, picture: Picture | undefined) => string,
): string {
  const { origin } = new URL(page)
  return html.replace(/<img ([^<>]*)>/g, (_element, attributes: string) => {
    const [, source = ''] = /(?:^| )src="([^"]*)"/.exec(attributes) ?? []
    const url = URL.parse(source.replaceAll('&amp;', '&'), page)
    const picture = url?.origin === origin ? find(url.pathname) : undefined
    // An alternative text of spaces marks a decorative picture.
    const described = attributes.replace(/(^| )alt="\s+"/, '$1alt=""').replace(/ ?\/$/, '')
    return write(described, picture)
  })
}

function dimensionsHtml({ width, height }: Dimensions): string {
  return ` width="${width}" height="${height}"`
}

/** The element with these attributes. `attributes` begin with those that the author gave: `src`, `alt` and `title`. */
export function pictureHtml(
  attributes: string,
  picture: ShownPicture | undefined,
  priority: 'first' | 'later',
): string {
  const loading = priority === 'first' ? 'fetchpriority="high"' : 'loading="lazy"'
  const dimensions = picture ? dimensionsHtml(picture) : ''
  const { width = 0 } = picture ?? {}
  const shownSizes = width < MEASURE_PIXELS ? `min(100vw, ${width}px)` : MEASURE_SIZES
  return element(attributes, picture, shownSizes, `${dimensions} ${loading} decoding="async">`)
}

/**
 * The element of a picture that covers a box of this size in CSS pixels. Without a width, it has that of the picture.
 */
export function boxedPictureHtml(
  attributes: string,
  picture: ShownPicture | undefined,
  box: { width?: number; height: number },
): string {
  const ownWidth = picture && Math.round((picture.width / picture.height) * box.height)
  const width = box.width ?? ownWidth
  const end = `${width === undefined ? '' : ` width="${width}"`} height="${box.height}">`
  return element(attributes, picture, `${Math.max(width ?? 0, ownWidth ?? 0)}px`, end)
}

/**
 * An `<img>`, with the smaller sizes of the picture if they are made. `shownSizes` tells the browser which it needs.
 */
function element(attributes: string, picture: ShownPicture | undefined, shownSizes: string, end: string): string {
  const { sizes, path = '' } = picture ?? {}
  if (!sizes || (sizes.avif.length === 0 && sizes.webp.length === 0)) return `<img ${attributes}${end}`
  const addressOf = (width: number, format: PictureFormat) =>
    escapeHtml(`${SIZES_PATH}${path}/${pictureName(sizes.key, width, format)}`)
  const sourceSet = (format: PictureFormat) =>
    sizes[format].map((width) => `${addressOf(width, format)} ${width}w`).join(', ')
  const source =
    sizes.avif.length > 0 && `<source type="image/avif" srcset="${sourceSet('avif')}" sizes="${shownSizes}">`
  const largest = sizes.webp.at(-1)
  const img = largest
    ? `<img ${attributes.replace(/(^| )src="[^"]*"/, (_, before) => `${before}src="${addressOf(largest, 'webp')}"`)} srcset="${sourceSet('webp')}" sizes="${shownSizes}"`
    : `<img ${attributes}`
  return `<picture>${source || ''}${img}${end}</picture>`
}
