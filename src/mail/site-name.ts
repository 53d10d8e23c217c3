/** The name of the site in mails. */
export interface SiteName {
  /** The title of the site, in one line. The host while the content folder has not been read. */
  title(): string
  /** The title with the host. Another site can copy the title, but not the host of the links in the mail. */
  full(): string
  /** Sets the function that returns the title of the published site. */
  follow(read: () => string | undefined): void
}

const MAX_CHARACTERS = 60

export function createSiteName(baseUrl: string): SiteName {
  const { host } = new URL(baseUrl)
  let read: () => string | undefined = () => undefined
  const title = () => oneLine(read() ?? '') || host
  return {
    title,
    full: () => (title() === host ? host : `${title()} (${host})`),
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
