import { asMarkdown } from '../content/as-markdown.ts'
import { excerptOf, markMatches, type Piece } from '../content/search/excerpt.ts'
import { type Found, type FoundPage, MAX_QUERY_CHARACTERS } from '../content/search/find-pages.ts'
import { type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { markdownPath, type PageContent, SEARCH_PATH } from './layout.ts'
import type { SitePage } from './site-pages.ts'

const DESCRIPTION = 'Search this site.'

interface Result {
  path: string
  id: string
  label: string
  title: Piece[]
  heading: Piece[]
  excerpt: Piece[]
}

/** The page with the form and, for a query, its results. */
export function searchPage(query: string, found: Found): PageContent {
  const results = resultsOf(found)
  return {
    path: SEARCH_PATH,
    title: query ? `Search: ${query}` : 'Search',
    description: DESCRIPTION,
    isIndexed: false,
    main: html`<h1>Search</h1>
<form class="search-form" role="search" action="${SEARCH_PATH}">
<label class="unseen" for="q">Words to search for</label>
<input id="q" type="search" name="q" value="${query}" maxlength="${MAX_QUERY_CHARACTERS}" placeholder="Words to search for" dir="auto">
<button>${icon('search')}Search</button>
</form>
${query && resultList(query, found, results)}`,
  }
}

function resultList(query: string, { total, absent }: Found, results: Result[]): Html {
  if (total === 0)
    return html`<div class="empty" role="status"><p>Nothing was found for <b dir="auto">${query}</b>.</p><p>Try fewer or other words.</p></div>`
  return html`<p class="meta" role="status">${countInWords(total, results.length)}${absent.length > 0 && html`. ${absenceOf(absent)}`}</p>
<ol class="results">
${results.map(
  ({ path, id, label, title, heading, excerpt }) => html`<li>
<p class="result-title"><a href="${addressOf(path, id)}" dir="auto">${marked(title)}${heading.length > 0 && html` <span class="of-part"><span aria-hidden="true">›</span> ${marked(heading)}</span>`}</a>${label && html` <span class="label" dir="auto">${label}</span>`}</p>
<p dir="auto">${marked(excerpt)}</p></li>
`,
)}</ol>`
}

function marked(pieces: Piece[]): Html[] {
  return pieces.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : html`${text}`))
}

/** The query of the address of a search. Empty without words. */
export function searchOf(query: string): string {
  return query ? `?q=${encodeURIComponent(query)}` : ''
}

/** The same as markdown, with links to the markdown of the pages. */
export function searchMarkdown(query: string, found: Found, baseUrl: string): Omit<SitePage, 'main'> {
  const results = resultsOf(found)
  const lines = results.map(({ path, id, title, heading, excerpt }) => {
    const name = [title, heading].filter((pieces) => pieces.length > 0).map(textOf)
    return `- [${asMarkdown(name.join(' › '))}](${baseUrl}${addressOf(markdownPath(path), id)}): ${asMarkdown(textOf(excerpt))}`
  })
  const count = countInWords(found.total, results.length)
  const state =
    found.total === 0
      ? 'Nothing was found.'
      : found.absent.length > 0
        ? `${count}. ${asMarkdown(absenceOf(found.absent))}`
        : count
  const markdown = [
    `# ${query ? `Search: ${asMarkdown(query)}` : 'Search'}`,
    ...(query ? [state] : [USAGE]),
    lines.join('\n'),
  ]
  return {
    path: SEARCH_PATH + searchOf(query),
    title: 'Search',
    description: DESCRIPTION,
    markdown: markdown.filter(Boolean).join('\n\n'),
  }
}

const USAGE = `Add words to the address: \`${SEARCH_PATH}?q=words\`.`

/** The same for programs. */
export function searchJson(query: string, found: Found, baseUrl: string) {
  const results = resultsOf(found).map(({ path, id, label, title, heading, excerpt }) => ({
    title: textOf(title),
    heading: textOf(heading),
    url: baseUrl + addressOf(path, id),
    label,
    excerpt: textOf(excerpt),
  }))
  return { query, total: found.total, results }
}

function resultsOf({ pages, isMatch }: Found): Result[] {
  return pages.map(({ page, passage }: FoundPage) => ({
    path: page.path,
    id: passage.id,
    label: page.label,
    title: markMatches(page.title, isMatch),
    heading: markMatches(passage.heading, isMatch),
    excerpt: excerptOf(passage.id ? passage.text : `${page.description} ${passage.text}`.trim(), isMatch),
  }))
}

function textOf(pieces: Piece[]): string {
  return pieces.map(({ text }) => text).join('')
}

function addressOf(path: string, id: string): string {
  return id ? `${path}#${encodeURIComponent(id)}` : path
}

/** Says that results are for other words than the reader has written, such as for a typing mistake. */
function absenceOf(words: string[]): string {
  return `No page has ${words.map((word) => `“${word}”`).join(' or ')}: the results are for similar or other words.`
}

function countInWords(total: number, shown: number): string {
  const pages = total === 1 ? '1 page' : `${total} pages`
  return total > shown ? `${pages}, the first ${shown} of which are here` : pages
}
