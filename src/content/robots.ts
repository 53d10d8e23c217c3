import type { Site } from './site.ts'

/**
 * robots.txt (RFC 9309). Only the redirects of a sign-in are disallowed, so every address in llms.txt is allowed.
 * `Content-Signal` (https://contentsignals.org) is there if the owner has chosen a signal.
 */
export function createRobots({ contentSignals }: Pick<Site, 'contentSignals'>, baseUrl: string): string {
  const signals = Object.entries(contentSignals).map(([signal, isAllowed]) => `${signal}=${isAllowed ? 'yes' : 'no'}`)
  return [
    'User-agent: *',
    ...(signals.length > 0 ? [`Content-Signal: ${signals.join(', ')}`] : []),
    'Disallow: /api/oauth/',
    '',
    `Sitemap: ${baseUrl}/sitemap.xml`,
    '',
  ].join('\n')
}
