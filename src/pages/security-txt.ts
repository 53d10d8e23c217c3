import type { Config } from '../config/config.ts'
import type { Routes } from '../http/routes.ts'
import { DAY_MS } from '../lib/dates.ts'
import type { Frame } from './layout.ts'

const PATH = '/.well-known/security.txt'
// The page with the disclosure policy, if the site has one.
const POLICY_PATH = '/security'
// RFC 9116 (section 2.5.5) recommends less than a year. The date is computed per request, so a served file is never
// expired.
const VALIDITY_DAYS = 180

/** The parts of the published site that the file depends on. */
interface PublishedSite {
  has(path: string): boolean
  frame(): Frame
}

/** Serves security.txt (RFC 9116). `Contact` is required (section 2.5.3), so without contacts there is no file. */
export function serveSecurityTxt(
  app: Routes,
  { securityContacts, baseUrl }: Pick<Config, 'securityContacts' | 'baseUrl'>,
  open: () => Promise<PublishedSite>,
): void {
  if (securityContacts.length === 0) return
  // RFC 9116 requires https for web URIs in this file.
  const isSecure = baseUrl.startsWith('https:')

  app.get(PATH, async (_request, reply) => {
    const site = await open()
    const language = languageTag(site.frame().site.language)
    const lines = [
      ...securityContacts.map((uri) => `Contact: ${uri}`),
      `Expires: ${new Date((Math.floor(Date.now() / DAY_MS) + VALIDITY_DAYS) * DAY_MS).toISOString()}`,
      ...(language ? [`Preferred-Languages: ${language}`] : []),
      ...(isSecure ? [`Canonical: ${baseUrl}${PATH}`] : []),
      ...(isSecure && site.has(POLICY_PATH) ? [`Policy: ${baseUrl}${POLICY_PATH}`] : []),
    ]
    reply.type('text/plain; charset=utf-8').header('Cache-Control', 'public, max-age=3600')
    return `${lines.join('\n')}\n`
  })
}

/** Undefined if the site's language is not a valid BCP 47 tag. */
function languageTag(written: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(written)[0]
  } catch {
    return undefined
  }
}
