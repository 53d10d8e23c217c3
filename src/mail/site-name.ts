/** What mails call the site. */
export interface SiteName {
  /** The title of the site, in one line. The host until the content folder has been read. */
  title(): string
  /** The title with the host: a title can be copied by anybody, the host of the links below it cannot. */
  full(): string
  /** Takes the title from here on from the site as it is published. */
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

/** Titles may have any length and any character: line breaks and marks that reorder the text around them are left out. */
function oneLine(title: string): string {
  const clean = title
    .slice(0, 10 * MAX_CHARACTERS)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .trim()
  const characters = [...clean]
  return characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : clean
}
