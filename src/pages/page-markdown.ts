import { asMarkdown } from '../content/as-markdown.ts'
import type { Frame } from './layout.ts'
import type { SitePage } from './site-pages.ts'

export const LLMS_PATH = '/llms.txt'

/** The markdown of a page with front matter in YAML, and a line that points to the list of all pages. */
export function pageMarkdown({ baseUrl, site }: Frame, page: Omit<SitePage, 'main'>): string {
  return `---
${frontMatter(page, baseUrl).join('\n')}
---

> [All pages of ${asMarkdown(site.title)}](${baseUrl}${LLMS_PATH})

${[page.markdown, page.markdownLinks].filter(Boolean).join('\n\n')}
`
}

/** The quotes of JSON are quotes of YAML too (YAML 1.2.2, section 1.2). */
function frontMatter(
  { title, description, path, date, updated, tags = [] }: Omit<SitePage, 'main'>,
  baseUrl: string,
): string[] {
  const fields: [string, unknown][] = [
    ['title', title],
    ['description', description],
    ['date', date && dayOrTime(date)],
    ['updated', updated && dayOrTime(updated)],
    ['tags', tags.length > 0 && tags.map(({ name }) => name)],
    ['canonical', baseUrl + path],
  ]
  return fields.flatMap(([name, value]) => (value ? [`${name}: ${JSON.stringify(value)}`] : []))
}

/** Midnight UTC is the time of a date that was written as a day. */
function dayOrTime(date: Date): string {
  const iso = date.toISOString()
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso
}

// The tokenizers of language models have four characters to a token on average, in English.
const CHARACTERS_PER_TOKEN = 4

/** Headers of markdown: an estimate of its tokens, so that an agent knows the cost before it reads. */
export function markdownHeaders(markdown: string): { 'x-markdown-tokens': string } {
  return { 'x-markdown-tokens': String(Math.ceil(markdown.length / CHARACTERS_PER_TOKEN)) }
}
