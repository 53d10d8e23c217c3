import { Type } from '../http/schema.ts'

const MAX_CHARACTERS = 2048
// Visible ASCII, as in every request target (RFC 9112, section 3.2). `//host` and `/\host` name another host. They
// are refused before the URL parser converts the host name to Punycode, which takes time quadratic in its length.
const PATH = '^/(?:[\\x21-\\x2e\\x30-\\x5b\\x5d-\\x7e][\\x21-\\x7e]*)?$'
const PATH_REGEXP = new RegExp(PATH)

/** The part of the rules that a JSON Schema can express. `localPath` applies all of them. */
export const ReturnPath = Type.String({
  maxLength: MAX_CHARACTERS,
  pattern: PATH,
  'x-pattern-words': 'visible ASCII characters, beginning with a single slash',
})

/**
 * Returns the path if a redirect to it stays on this site, else undefined. Browsers resolve `//host` and `/\host`, also
 * with tabs or line breaks inside, to another host. So the URL parser must return the path unchanged.
 */
export function localPath(path: string): string | undefined {
  if (path.length > MAX_CHARACTERS || !PATH_REGEXP.test(path)) return undefined
  const base = 'http://here.invalid'
  const url = URL.parse(path, base)
  return url?.origin === base && url.href === base + path ? path : undefined
}
