/** The origin of the site while addresses are parsed that do not depend on it. */
export const OWN_ORIGIN = 'http://own.invalid'

/** Parses the path as browsers do: "/\evil.example" leads to another host. */
export function isLocalPath(url: string): boolean {
  return url.startsWith('/') && URL.parse(url, OWN_ORIGIN)?.origin === OWN_ORIGIN
}

/** Whether a link may lead to the address: a path of this site, or an http(s) or mailto address. */
export function isSafeAddress(url: string): boolean {
  return isLocalPath(url) || /^https?:\/\//i.test(url) || /^mailto:/i.test(url)
}
