/** The second over the first; the answer depends on whatever either depends on. Names are in lower case. */
export function combined<Value>(common: Record<string, Value>, own: Record<string, string>) {
  const vary = common.vary && own.vary && { vary: `${common.vary}, ${own.vary}` }
  return { ...common, ...own, ...vary }
}

/** For every answer, so that no page or document of ours can be framed, sniffed or scripted by another site. */
export function securityHeaders({ https }: { https: boolean }): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy':
      "default-src 'none'; style-src 'self'; img-src 'self' https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ...(https && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  }
}
