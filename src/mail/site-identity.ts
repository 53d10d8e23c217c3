import { DEFAULT_ACCENT } from '../lib/accent.ts'
import { printable } from '../lib/printable.ts'

/** Title, address and colour of the site in mails. */
export interface SiteIdentity {
  /** The public URL of the service, without a slash at the end. */
  address: string
  /** The title of the site, in one line. The host while the content folder has not been read. */
  title(): string
  /** The title with the host. Another site can copy the title, but not the host of the links in the mail. */
  fullName(): string
  /** The accent colour of the site, as `#rrggbb`. */
  accent(): string
  /** Sets the function that returns the settings of the published site. */
  setSource(read: () => SiteSettings | undefined): void
}

interface SiteSettings {
  title: string
  accent: string
}

const MAX_CHARACTERS = 60

export function createSiteIdentity(baseUrl: string): SiteIdentity {
  const { host } = new URL(baseUrl)
  let read: () => SiteSettings | undefined = () => undefined
  const title = () => oneLine(read()?.title ?? '') || host
  return {
    address: baseUrl,
    title,
    fullName: () => (title() === host ? host : `${title()} (${host})`),
    accent: () => read()?.accent ?? DEFAULT_ACCENT,
    setSource(source) {
      read = source
    },
  }
}

/** One line of limited length. */
function oneLine(title: string): string {
  const clean = printable(title.slice(0, 10 * MAX_CHARACTERS)).trim()
  const characters = [...clean]
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : clean
}
