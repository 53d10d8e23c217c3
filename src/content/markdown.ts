import MarkdownIt, { type StateCore, type Token } from 'markdown-it'
import deflist from 'markdown-it-deflist'
import mark from 'markdown-it-mark'
import { escapeHtml } from '../lib/escape-html.ts'
import { readCode } from './code-block.ts'
import { hideComments } from './comments.ts'
import type { Highlighter } from './highlight.ts'
import { addCallouts } from './markup/callouts.ts'
import type { Env, Problem } from './markup/env.ts'
import { addFigures } from './markup/figures.ts'
import { addFootnotes } from './markup/footnotes.ts'
import { addMath } from './markup/math.ts'
import { plainText } from './plain-text.ts'
import { type Passage, passagesIn } from './search/passages.ts'
import { SourceNotes, type WrittenLink } from './source-notes.ts'
import { noteLinks } from './written-links.ts'

/** Facts about a document that others need: the checks of links, and the search. */
export interface DocumentFacts {
  /** The pictures with their line numbers. */
  pictures: { address: string; line: number; alt: string }[]
  links: WrittenLink[]
  /** By their ids, in the order of the text. */
  headings: Map<string, Heading>
  /** The plain text, divided at the headings, for the search. */
  passages: Passage[]
  /** The line numbers of comments that have no end. */
  openComments: number[]
  problems: Problem[]
}

export interface Rendered extends DocumentFacts {
  html: string
  /** Reading time in whole minutes, at 230 words a minute. */
  minutes: number
  /** The published markdown, without comments. `write` returns the new address of a link or picture, or undefined. */
  toMarkdown(write: (address: string) => string | undefined): string
}

export interface Heading {
  id: string
  title: string
  /** 2 for an h2. */
  level: number
}

/** Renders markdown as HTML. Raw HTML is escaped. Links may be http(s), mailto or relative. */
export function createRenderer(highlighter: Highlighter): (markdown: string) => Rendered {
  const md = new MarkdownIt({ html: false, linkify: true, typographer: true })
  // A colon before the first `/`, `?` or `#` ends a scheme (RFC 3986, section 3.1).
  md.validateLink = (url) => /^(https?:|mailto:|[^:/?#]*([/?#]|$))/i.test(url)
  md.renderer.rules.fence = (tokens, index) => {
    const { content = '', info = '' } = tokens[index] ?? {}
    const { code, language, style } = readCode(content, info)
    return highlighter.toHtml(code, language, style)
  }
  md.renderer.rules.code_block = (tokens, index) => highlighter.toHtml(tokens[index]?.content ?? '', '')
  md.renderer.rules.table_open = (tokens, index) =>
    `<div class="table" tabindex="0" role="group" aria-label="${escapeHtml(tableLabel(tokens, index))}"><table dir="auto">`
  md.renderer.rules.table_close = () => '</table></div>'
  hideComments(md)
  noteLinks(md)
  deflist(md)
  mark(md)
  addCallouts(md)
  addFootnotes(md)
  addMath(md)
  md.core.ruler.at('inline', (state) => SourceNotes.of(state).parseInline(state))
  md.core.ruler.push('heading_anchors', anchorHeadings)
  md.core.ruler.push('cells', ({ tokens }) => tokens.forEach(classifyCell))
  md.core.ruler.push('tasks', ({ tokens }) => tokens.forEach(markTask))
  addFigures(md)
  md.core.ruler.push('direction', ({ tokens }) => tokens.forEach(setDirection))
  return (markdown) => {
    const source = markdown.replace(/\r\n?/g, '\n')
    const notes = new SourceNotes(source)
    const env: Env = { notes, problems: [], texCharacters: 0 }
    const tokens = md.parse(source, env)
    const html = htmlOf(tokens, env)
    const headings = html === undefined ? new Map() : headingsIn(tokens)
    if (html === undefined) env.problems.push({ line: 1, problem: 'the page is too large: its markdown is shown' })
    return {
      html: html ?? `<pre tabindex="0"><code>${escapeHtml(notes.publish(() => undefined))}</code></pre>\n`,
      minutes: Math.max(1, Math.round(notes.publish(() => undefined).split(/\s+/).length / 230)),
      pictures: picturesIn(tokens),
      links: notes.links,
      headings,
      passages: passagesIn(tokens, headings),
      openComments: notes.openComments,
      problems: env.problems,
      toMarkdown: (write) => notes.publish(write),
    }
  }

  /** Undefined if it would be too large. */
  function htmlOf(tokens: Token[], env: Env): string | undefined {
    if (attributeCharacters(tokens) > MAX_HTML_CHARACTERS) return undefined
    // Character references such as `&#1;` may have produced characters that XML excludes.
    const html = plainText(md.renderer.render(tokens, md.options, env))
    return html.length > MAX_HTML_CHARACTERS ? undefined : html
  }
}

// A larger page would take the memory of all others. A short text can become long: each link to a definition, such as
// `[a]`, repeats its address.
const MAX_HTML_CHARACTERS = 16 * 1024 * 1024

function attributeCharacters(tokens: Token[]): number {
  let sum = 0
  for (const { attrs, children } of tokens) {
    for (const [, value] of attrs ?? []) sum += String(value).length
    if (children) sum += attributeCharacters(children)
  }
  return sum
}

// Ids that the page itself uses.
const RESERVED_IDS = `account-menu content contents contributions graph-text graph-title related-posts
  site-menu site-search`.split(/\s+/)

/** Gives each heading an id and a link to it. The page's title is its only h1, so an h1 in the text becomes an h2. */
function anchorHeadings(state: StateCore): void {
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

function headingsIn(tokens: Token[]): Map<string, Heading> {
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

// Cells with more text get a minimum width, so that a line has room for several words.
const LONG_CELL_CHARACTERS = 24

/** Replaces the inline style of a cell, which the CSP blocks, by classes for its alignment and for long text. */
function classifyCell(token: Token, index: number, tokens: Token[]): void {
  if (token.type !== 'th_open' && token.type !== 'td_open') return
  const [, side] = /^text-align:(\w+)$/.exec(String(token.attrGet('style'))) ?? []
  const isLong = textOf(tokens[index + 1]).length > LONG_CELL_CHARACTERS
  const classes = [side, isLong && 'long'].filter(Boolean)
  token.attrs = classes.length > 0 ? [['class', classes.join(' ')]] : []
}

/** The accessible name of a table: its column headings. */
function tableLabel(tokens: Token[], index: number): string {
  const names: string[] = []
  for (let at = index; tokens[at] && tokens[at]?.type !== 'thead_close'; at++) {
    if (tokens[at]?.type === 'inline') names.push(textOf(tokens[at]))
  }
  return ['Table', names.filter(Boolean).join(', ')].filter(Boolean).join(': ')
}

function textOf(inline: Token | undefined): string {
  return (inline?.children ?? []).map(({ content }) => content).join('')
}

const HAS_DIRECTION = new Set(
  ['paragraph', 'heading', 'bullet_list', 'ordered_list', 'blockquote', 'dl'].map((block) => `${block}_open`),
)

/**
 * Sets `dir="auto"`, with which browsers take the direction of a block from its first letter. Only outermost blocks get
 * it: to find the direction of a list, browsers skip items with a `dir` attribute
 * (https://html.spec.whatwg.org/multipage/dom.html#auto-directionality).
 */
function setDirection(token: Token): void {
  if (token.level === 0 && HAS_DIRECTION.has(token.type)) token.attrSet('dir', 'auto')
}

/** Task list items, "- [ ] to do" and "- [x] done", begin with a box. */
function markTask(token: Token, index: number, tokens: Token[]): void {
  const [first] = token.children ?? []
  const [box, mark] = /^\[([ xX])\] /.exec(first?.content ?? '') ?? []
  if (!first || !box || tokens[index - 2]?.type !== 'list_item_open') return
  first.content = `${mark === ' ' ? '☐' : '☑'} ${first.content.slice(box.length)}`
  tokens[index - 2]?.attrSet('class', 'task')
}

function picturesIn(tokens: Token[]): Rendered['pictures'] {
  let line = 1
  return tokens.flatMap(({ map, children }) => {
    // Table cells have no line map. They are in the line of their row.
    if (map) line = map[0] + 1
    return (children ?? []).flatMap((child) => {
      if (child.type === 'softbreak' || child.type === 'hardbreak') line++
      return child.type === 'image' ? [{ address: String(child.attrGet('src')), line, alt: child.content }] : []
    })
  })
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
