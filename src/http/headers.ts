/** `overrides` replace headers of the same name in `base`. `vary` is the list of both. Names are in lower case. */
export function mergedHeaders<Value>(base: Record<string, Value>, overrides: Record<string, string>) {
  const vary = base.vary && overrides.vary && { vary: `${base.vary}, ${overrides.vary}` }
  return { ...base, ...overrides, ...vary }
}

/** The default policy: style sheets and fonts of this site, no scripts, no inline styles. */
export const PAGE_CSP =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** Default headers against framing, MIME sniffing and injected scripts. HSTS (RFC 6797) is sent on https only. */
export function securityHeaders({ https }: { https: boolean }): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy': PAGE_CSP,
    ...(https && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  }
}
