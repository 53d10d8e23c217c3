import type { StateCore, Token } from 'markdown-it'

export interface Heading {
  id: string
  title: string
  /** 2 for an h2. */
  level: number
}

// Ids that the page itself uses.
const RESERVED_IDS = `account-menu content contents contributions graph-text graph-title related-posts
  site-menu site-search`.split(/\s+/)

/** Gives each heading an id and a link to it. The page's title is its only h1, so an h1 in the text becomes an h2. */
export function anchorHeadings(state: StateCore): void {
  const idOf = headingIds()
  state.tokens.forEach((token, index) => {
    if (token.type !== 'heading_open' && token.type !== 'heading_close') return
    if (token.tag === 'h1') token.tag = 'h2'
    if (token.type === 'heading_close') return
    const inline = state.tokens[index + 1]
    const id = idOf(inline?.content ?? '')
    token.attrSet('id', id)
    const open = new state.Token('link_open', 'a', 1)
    open.attrs = [
      ['class', 'anchor'],
      ['href', `#${id}`],
      ['aria-label', 'Link to this section'],
    ]
    const hash = new state.Token('text', '', 0)
    hash.content = '#'
    inline?.children?.push(open, hash, new state.Token('link_close', 'a', -1))
  })
}

export function headingsIn(tokens: Token[]): Map<string, Heading> {
  const headings = tokens.flatMap((token, index) =>
    token.type === 'heading_open' ? [headingOf(token, tokens[index + 1])] : [],
  )
  return new Map(headings.map((heading) => [heading.id, heading]))
}

/** The last child of the inline token is the link to the heading itself: it is not part of the title. */
function headingOf(open: Token, inline: Token | undefined): Heading {
  const title = (inline?.children ?? []).slice(0, -3).map(({ content }) => content)
  return { id: String(open.attrGet('id')), title: title.join('').trim(), level: Number(open.tag.slice(1)) }
}

/** Returns a function that gives each heading of a page, in their order, an id of its own. */
export function headingIds(): (heading: string) => string {
  // Each used id, with the last number appended to it.
  const taken = new Map(RESERVED_IDS.map((id) => [id, 1]))
  return (heading) => {
    const base = headingSlug(heading) || 'section'
    let slug = base
    let number = taken.get(base) ?? 1
    while (taken.has(slug)) slug = `${base}-${++number}`
    taken.set(base, number).set(slug, taken.get(slug) ?? 1)
    return slug
  }
}

function headingSlug(heading: string): string {
  return heading
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
