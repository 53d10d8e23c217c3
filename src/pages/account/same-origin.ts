import { Refusal } from '../../http/refusal.ts'
import type { Request } from '../../http/request.ts'

const fromElsewhere = { status: 403, message: 'This form was sent from another site, so nothing was done' }

/**
 * Another site can make a browser send a form here, with its cookie. Browsers say where a form comes from; what does not
 * say it is no browser, and has the API.
 */
export function requireSameOrigin({ headers }: Request, baseUrl: string): void {
  const site = headers['sec-fetch-site']
  const isHere = site === undefined || site === 'same-origin'
  if (!isHere || !isOwnOrigin(headers.origin, headers.host, baseUrl)) throw new Refusal(fromElsewhere)
}

/** Ours by its setting, or by the address that the browser itself has opened. */
function isOwnOrigin(origin: string | undefined, host: string | undefined, baseUrl: string): boolean {
  const own = new URL(baseUrl)
  return origin === own.origin || origin === `${own.protocol}//${host}`
}
