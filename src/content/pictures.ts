import { ContentFault } from './fault.ts'

interface Illustrated {
  file: string
  firstLine: number
  pictures: { address: string; line: number }[]
}

/** A fault for each picture that the readers of a page would not see. */
export function unseenPictures(
  { file, firstLine, pictures }: Illustrated,
  page: string,
  published: { has(path: string): boolean },
): ContentFault[] {
  return pictures.flatMap(({ address, line }) => {
    const why = whyUnseen(address, page, published)
    return why ? [new ContentFault(file, firstLine - 1 + line, why)] : []
  })
}

// Pictures that come and go without a change of the content.
export const OTHER_FILES = /^\/(?:contributions\.svg|uploads\/.+)$/

function whyUnseen(address: string, page: string, published: { has(path: string): boolean }): string | undefined {
  const url = URL.parse(address, page)
  if (url && url.origin !== new URL(page).origin) {
    return url.protocol === 'https:' ? undefined : `the picture ${address} is not shown: it must come from https`
  }
  if (url && (published.has(url.pathname) || OTHER_FILES.test(url.pathname))) return undefined
  return `there is no picture ${address}: it belongs in images/, or beside this file`
}
