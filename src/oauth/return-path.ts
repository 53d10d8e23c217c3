/**
 * The path of this site that a sign-in leads back to, or undefined for anything that could lead elsewhere. Browsers
 * take `//host`, `/\host` and either of them with tabs or line breaks inside for another site, so it must come out of
 * the URL parser exactly as it went in.
 */
export function localPath(path: string): string | undefined {
  const here = 'http://here.invalid'
  const url = path.startsWith('/') ? URL.parse(path, here) : null
  return url?.origin === here && url.href === here + path ? path : undefined
}
