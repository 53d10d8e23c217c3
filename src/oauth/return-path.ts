import { Type } from '../http/schema.ts'

// As long as the setting of `redirect_to` in the API allows.
const MAX_CHARACTERS = 2048
// Visible ASCII, as in every request target (RFC 9112, section 3.2). `//host` and `/\\host` name another host: they are
// refused before the URL parser converts the host name to Punycode, which takes time quadratic in its length.
const PATH = '^/(?:[\\x21-\\x2e\\x30-\\x5b\\x5d-\\x7e][\\x21-\\x7e]*)?$'
const isPath = new RegExp(PATH)

/** As far as a schema can tell; `localPath` decides. */
export const ReturnPath = Type.String({ maxLength: MAX_CHARACTERS, pattern: PATH })

/**
 * The path of this site that a sign-in leads back to, or undefined for anything that could lead elsewhere. Browsers
 * take `//host`, `/\host` and either of them with tabs or line breaks inside for another site, so it must come out of
 * the URL parser exactly as it went in.
 */
export function localPath(path: string): string | undefined {
  if (path.length > MAX_CHARACTERS || !isPath.test(path)) return undefined
  const here = 'http://here.invalid'
  const url = URL.parse(path, here)
  return url?.origin === here && url.href === here + path ? path : undefined
}
