import { dirname } from 'node:path/posix'

// Paths of the server's own routes.
const SERVER_NAMES = `account api assets dev docs forgot-password healthz llms log-in log-out mcp owner readyz
  reset-password search sign-in sign-up undo-email-change uploads verify-email .well-known`.split(/\s+/)
// Names of lists of posts, and names that are kept free for them.
const RESERVED_NAMES = new Set([...SERVER_NAMES, 'archive', 'blog', 'feed', 'series', 'tags'])
// The pictures of images/ are published below this path.
const PICTURE_FOLDER = 'images'
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Whether the name of a file or folder can be part of an address. */
export function isAddressName(name: string): boolean {
  return NAME.test(name)
}

/** Whether the address of a page, without its first slash, is below a route of the server. */
export function isReserved(slug: string): boolean {
  const [first = '', ...rest] = slug.split('/')
  return RESERVED_NAMES.has(first) || (first === PICTURE_FOLDER && rest.length > 0)
}

/** Whether a path is served by the server itself, so that no page and no redirect can have it. */
export function isServerPath(path: string): boolean {
  const [first = ''] = path.slice(1).split('/')
  // Also the other variants of a page, such as /search.json and /account.md.
  return SERVER_NAMES.includes(first) || SERVER_NAMES.includes(first.replace(/\.(?:md|json)$/, ''))
}

/** The path of the page whose markdown is at a path. Other paths are returned unchanged. */
export function pageOf(path: string): string {
  return path === '/index.md' ? '/' : path.replace(/(?<=[^/])\.md$/, '')
}

/** The folders between `pages/` and a file, such as ["guides"] for pages/guides/backup.md. */
export function pageFolders(file: string): string[] {
  return dirname(file).split('/').slice(1)
}

/** Why a text cannot be the slug of a post, or of a page that is in no folder. Undefined if it can. */
export function whyNoSlug(kind: 'post' | 'page', slug: string): string | undefined {
  return whyNoName(slug) ?? (kind === 'page' ? whyReserved(slug) : undefined)
}

/** Why a text cannot be the last name of an address. */
export function whyNoName(name: string): string | undefined {
  return isAddressName(name)
    ? undefined
    : `${badNameMessage('the address', name)}: rename the file, or give it a "slug"`
}

/** Why a page cannot have an address, given without its first slash. */
export function whyReserved(slug: string): string | undefined {
  return isReserved(slug) ? `the address /${slug} belongs to the site itself` : undefined
}

/** Says what a name must consist of, with a name that is like it. */
export function badNameMessage(what: string, name: string): string {
  const better = slugOf(name)
  return `${what} must be of lower-case letters, digits and hyphens${better ? `, such as ${better}` : ''}`
}

/** "Über uns" becomes uber-uns. Empty if no letter of ASCII and no digit is left. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
