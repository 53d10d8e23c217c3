import { escapeHtml } from '../lib/escape-html.ts'

/** Rewrites the `href` and `src` attributes in the HTML of a page. Relative addresses are resolved against `page`. */
export function withAddresses(html: string, page: string, write: (url: URL) => string): string {
  return html.replace(/(href|src)="([^"]*)"/g, (attribute, name, address) => {
    const url = URL.parse(address.replaceAll('&amp;', '&'), page)
    return url ? `${name}="${escapeHtml(write(url))}"` : attribute
  })
}
