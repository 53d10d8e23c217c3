import { ContentFault } from './fault.ts'
import type { Site } from './site.ts'

interface Illustrated {
  file: string
  firstLine: number
  pictures: { address: string; line: number }[]
}

/** A fault for each picture of a page that browsers could not load or that the CSP blocks. */
export function missingPictures(
  { file, firstLine, pictures }: Illustrated,
  page: string,
  published: { has(path: string): boolean },
): ContentFault[] {
  return pictures.flatMap(({ address, line }) => {
    const why = whyMissing(address, page, published)
    return why ? [new ContentFault(file, firstLine - 1 + line, why)] : []
  })
}

/** A fault for the logo and the portrait of the site if they are not published. */
export function missingSitePictures(
  site: Pick<Site, 'logo' | 'portrait'>,
  published: { has(path: string): boolean },
): ContentFault[] {
  return (['logo', 'portrait'] as const)
    .filter((name) => site[name] && !published.has(site[name]))
    .map((name) => new ContentFault('site.yaml', 1, `the picture ${site[name]} of "${name}" is not there`))
}

// Paths that the server serves independently of the content folder.
export const DYNAMIC_FILES = /^\/(?:contributions\.svg|uploads\/.+)$/

function whyMissing(address: string, page: string, published: { has(path: string): boolean }): string | undefined {
  const url = URL.parse(address, page)
  if (url && url.origin !== new URL(page).origin) {
    return url.protocol === 'https:' ? undefined : `the picture ${address} is not shown: it must come from https`
  }
  if (url && (published.has(url.pathname) || DYNAMIC_FILES.test(url.pathname))) return undefined
  return `there is no picture ${address}: it belongs in images/, or beside this file`
}
