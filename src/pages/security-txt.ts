import type { Config } from '../config/config.ts'
import type { Routes } from '../http/routes.ts'
import type { Frame } from './layout.ts'

const PATH = '/.well-known/security.txt'
// The page that tells how reports are treated, if the owner has written one.
const POLICY = '/security'
const DAY = 24 * 60 * 60_000
// RFC 9116 advises less than a year. The time moves on with each day, so a served file never runs out.
const GOOD_FOR = 180

/** The parts of the published site that the file depends on. */
interface PublishedSite {
  has(path: string): boolean
  frame(): Frame
}

/** Where to report a security problem (RFC 9116). A file that names no contact would be none, so then there is none. */
export function serveSecurityTxt(
  app: Routes,
  { securityContacts, baseUrl }: Pick<Config, 'securityContacts' | 'baseUrl'>,
  opened: Promise<PublishedSite>,
): void {
  if (securityContacts.length === 0) return
  // Addresses of the web have to be https in this file.
  const isSecure = baseUrl.startsWith('https:')

  app.get(PATH, async (_request, reply) => {
    const site = await opened
    const language = languageTag(site.frame().site.language)
    const lines = [
      ...securityContacts.map((uri) => `Contact: ${uri}`),
      `Expires: ${new Date((Math.floor(Date.now() / DAY) + GOOD_FOR) * DAY).toISOString()}`,
      ...(language ? [`Preferred-Languages: ${language}`] : []),
      ...(isSecure ? [`Canonical: ${baseUrl}${PATH}`] : []),
      ...(isSecure && site.has(POLICY) ? [`Policy: ${baseUrl}${POLICY}`] : []),
    ]
    reply.type('text/plain; charset=utf-8').header('Cache-Control', 'public, max-age=3600')
    return `${lines.join('\n')}\n`
  })
}

/** What the owner wrote may be no language at all. */
function languageTag(written: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(written)[0]
  } catch {
    return undefined
  }
}
