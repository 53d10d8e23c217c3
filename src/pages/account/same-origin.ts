import { declareRefusal, Refusal } from '../../http/refusal.ts'
import type { Request } from '../../http/request.ts'

const crossSite = declareRefusal({
  status: 403,
  code: 'cross_site_form',
  message: 'This form was not sent from a page of this site, so nothing was done',
  when: 'A form of the account pages was sent by another site, or by a program',
})

/**
 * Protection against cross-site request forgery: throws unless the form was submitted from this site. Browsers send
 * `Origin` with every POST, and current ones `Sec-Fetch-Site` too. A client without `Origin` is not a browser and can
 * use the API.
 */
export function requireSameOrigin({ headers }: Request, baseUrl: string): void {
  const site = headers['sec-fetch-site']
  const isSameOrigin = site === undefined || site === 'same-origin'
  if (!isSameOrigin || !isOwnOrigin(headers.origin, headers.host, baseUrl)) throw new Refusal(crossSite)
}

/** Whether the origin is that of BASE_URL, or that of the `Host` that the browser has opened. */
function isOwnOrigin(origin: string | undefined, host: string | undefined, baseUrl: string): boolean {
  const own = new URL(baseUrl)
  return origin === own.origin || origin === `${own.protocol}//${host}`
}
