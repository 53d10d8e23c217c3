import { DEFAULT_ACCENT } from '../lib/accent.ts'

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
  follow(read: () => SiteSettings | undefined): void
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
    follow(source) {
      read = source
    },
  }
}

/** Limits the length of a title, and replaces line breaks and bidirectional controls (UAX #9) by spaces. */
function oneLine(title: string): string {
  const clean = title
    .slice(0, 10 * MAX_CHARACTERS)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .trim()
  const characters = [...clean]
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : clean
}
