import { escapeHtml } from '../lib/escape-html.ts'

/** All addresses with the dates of their last changes, in the format of https://www.sitemaps.org/protocol.html. */
export function createSitemap(baseUrl: string, pages: { path: string; modified?: Date | undefined }[]): string {
  const entries = pages.map(({ path, modified }) => {
    const date = modified ? `<lastmod>${modified.toISOString()}</lastmod>` : ''
    return `<url><loc>${escapeHtml(baseUrl + path)}</loc>${date}</url>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('')}</urlset>
`
}
