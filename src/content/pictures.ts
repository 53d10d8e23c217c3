import type { Attachment } from './attachment.ts'
import { ContentFault } from './fault.ts'
import type { Site } from './site.ts'

interface Illustrated {
  file: string
  firstLine: number
  pictures: { address: string; line: number; alt: string }[]
  image: { address: string; line: number } | undefined
}

/** A fault for each picture of a page that browsers could not load or that the CSP blocks. */
export function missingPictures(
  { file, firstLine, pictures, image }: Illustrated,
  page: string,
  published: { has(path: string): boolean },
): ContentFault[] {
  const cover = image && whyNoCover(image.address, page, published)
  const inText = pictures.flatMap(({ address, line }) => {
    const why = whyMissing(address, page, published)
    return why ? [new ContentFault(file, firstLine - 1 + line, why)] : []
  })
  return [...(image && cover ? [new ContentFault(file, image.line, cover)] : []), ...inText]
}

/**
 * A fault for each picture without an alternative text. A text of spaces, `![ ](line.png)`, says that the picture is
 * decoration, which screen readers leave out (WCAG 2.2, 1.1.1).
 */
export function undescribedPictures({ file, firstLine, pictures }: Illustrated): ContentFault[] {
  return pictures
    .filter(({ alt }) => alt === '')
    .map(
      ({ address, line }) =>
        new ContentFault(
          file,
          firstLine - 1 + line,
          `the picture ${address} has no text for readers who do not see it: write ![a text](${address}), or ![ ](${address}) if it is decoration`,
        ),
    )
}

/** A fault for each picture of which no smaller sizes can be made. */
export function unusablePictures(attachments: Iterable<Attachment>): ContentFault[] {
  return [...attachments].flatMap(({ file, problem }) => (problem ? [new ContentFault(file, 1, problem)] : []))
}

/** A fault for the logo and the portrait of the site if they are not published. */
export function missingSitePictures(
  site: Pick<Site, 'logo' | 'portrait'>,
  published: { has(path: string): boolean },
): ContentFault[] {
  return (['logo', 'portrait'] as const).flatMap((name) => {
    const picture = site[name]
    if (!picture || published.has(picture.address)) return []
    return [new ContentFault('site.yaml', picture.line, `the picture ${picture.address} of "${name}" is not there`)]
  })
}

// Paths that the server serves independently of the content folder.
export const DYNAMIC_FILES = /^\/(?:contributions\.svg|uploads\/.+)$/

function whyNoCover(address: string, page: string, published: { has(path: string): boolean }): string | undefined {
  const url = URL.parse(address, page)
  const isFile = url?.origin === new URL(page).origin && published.has(url.pathname)
  const isThere = isFile && !DYNAMIC_FILES.test(url.pathname)
  return isThere ? undefined : `there is no picture ${address} for "image": it belongs in images/, or beside this file`
}

function whyMissing(address: string, page: string, published: { has(path: string): boolean }): string | undefined {
  const url = URL.parse(address, page)
  if (url && url.origin !== new URL(page).origin) {
    return url.protocol === 'https:' ? undefined : `the picture ${address} is not shown: it must come from https`
  }
  if (url && (published.has(url.pathname) || DYNAMIC_FILES.test(url.pathname))) return undefined
  return `there is no picture ${address}: it belongs in images/, or beside this file`
}
