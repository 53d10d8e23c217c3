import MarkdownIt, { type Token } from 'markdown-it'
import deflist from 'markdown-it-deflist'
import mark from 'markdown-it-mark'
import { escapeHtml } from '../lib/escape-html.ts'
import { type Code, codeHtml, infoMistakes, PLAIN_STYLE, readCode } from './code-block.ts'
import { hideComments } from './comments.ts'
import { addCallouts } from './markup/callouts.ts'
import type { Env, Problem } from './markup/env.ts'
import { addFigures } from './markup/figures.ts'
import { addFootnotes, referenceIdOf } from './markup/footnotes.ts'
import { anchorHeadings, type Heading, headingsIn } from './markup/headings.ts'
import { addMath } from './markup/math.ts'
import { addTables } from './markup/tables.ts'
import { plainText } from './plain-text.ts'
import { DIVISIONS, type Passage, passagesIn } from './search/passages.ts'
import { type MarkdownPart, SourceNotes, type WrittenLink } from './source-notes.ts'
import { noteLinks } from './written-links.ts'

/** Metadata of a document, for the checks of links and for the search. */
export interface DocumentMetadata {
  /** The pictures with their line numbers. */
  pictures: { address: string; line: number; alt: string }[]
  links: WrittenLink[]
  /** By their ids, in the order of the text. */
  headings: Map<string, Heading>
  /** The ids that a link can lead to: those of headings, of footnotes and of the references to footnotes. */
  anchors: Set<string>
  /** The plain text, divided at the headings, for the search. */
  passages: Passage[]
  /** The line numbers of comments that have no end. */
  openComments: number[]
  problems: Problem[]
  /** Markup that works but is probably a mistake. */
  warnings: Problem[]
}

/** A rendered document, as data that another thread can send. */
export interface Rendered extends DocumentMetadata {
  /** Parts of HTML and blocks of code. Only the main thread has the cache of highlighted code. */
  html: (string | Code)[]
  /** Reading time in whole minutes, at 230 words a minute. */
  minutes: number
  /** The published markdown, without comments. */
  markdown: MarkdownPart[]
}

/** Renders markdown as HTML. Raw HTML is escaped. Links may be http(s), mailto or relative. */
export function createRenderer(): (markdown: string) => Rendered {
  const md = new MarkdownIt({ html: false, linkify: true, typographer: true })
  // A colon before the first `/`, `?` or `#` ends a scheme (RFC 3986, section 3.1).
  md.validateLink = (url) => /^(https?:|mailto:|[^:/?#]*([/?#]|$))/i.test(url)
  hideComments(md)
  noteLinks(md)
  deflist(md)
  mark(md)
  addCallouts(md)
  addFootnotes(md)
  addMath(md)
  md.core.ruler.at('inline', (state) => SourceNotes.of(state).parseInline(state))
  md.core.ruler.push('heading_anchors', anchorHeadings)
  addTables(md)
  md.core.ruler.push('tasks', ({ tokens }) => tokens.forEach(markTask))
  addFigures(md)
  md.core.ruler.push('direction', ({ tokens }) => tokens.forEach(setDirection))
  return (written) => {
    const source = written.replace(/\r\n?/g, '\n')
    const notes = new SourceNotes(source)
    const env: Env = { notes, problems: [], texCharacters: 0 }
    const tokens = md.parse(source, env)
    const html = htmlOf(tokens, env)
    const markdown = notes.publish()
    const text = markdown.map((part) => (typeof part === 'string' ? part : part.written)).join('')
    const common = {
      minutes: Math.max(1, Math.round(text.split(/\s+/).length / 230)),
      openComments: notes.openComments,
      problems: env.problems.slice(0, MAX_PROBLEMS),
    }
    if (html === undefined) return { ...common, ...asMarkdown(text, tokens, common.problems) }
    const headings = headingsIn(tokens)
    return {
      ...common,
      html,
      pictures: picturesIn(tokens),
      links: notes.links,
      headings,
      anchors: anchorsIn(tokens),
      passages: passagesIn(tokens, headings),
      warnings: tokens.flatMap(codeWarnings).slice(0, MAX_PROBLEMS),
      markdown,
    }
  }

  /** Like `render` of markdown-it, with the blocks of code apart. Undefined if it would be too large. */
  function htmlOf(tokens: Token[], env: Env): Rendered['html'] | undefined {
    if (attributeCharacters(tokens) > MAX_HTML_CHARACTERS || countElements(tokens) > MAX_ELEMENTS) return undefined
    const parts: Rendered['html'] = []
    let html = ''
    for (const [index, token] of tokens.entries()) {
      const code = codeOf(token)
      if (code) {
        parts.push(plainText(html), code)
        html = ''
      } else html += tokenHtml(tokens, index, env)
    }
    // Character references may have produced characters that XML excludes.
    parts.push(plainText(html))
    const characters = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part : plainCode(part)).length, 0)
    return characters > MAX_HTML_CHARACTERS ? undefined : parts
  }

  function tokenHtml(tokens: Token[], index: number, env: Env): string {
    const { type = '', children } = tokens[index] ?? {}
    if (type === 'inline') return md.renderer.renderInline(children ?? [], md.options, env)
    const rule = md.renderer.rules[type]
    return rule ? rule(tokens, index, md.options, env, md.renderer) : md.renderer.renderToken(tokens, index, md.options)
  }
}

/** The HTML of a document. `coloured` returns that of a block of code. */
export function renderedHtml({ html }: Pick<Rendered, 'html'>, coloured: (code: Code) => string): string {
  const join = (codeHtml: (code: Code) => string) =>
    html.map((part) => (typeof part === 'string' ? part : codeHtml(part))).join('')
  const text = join(coloured)
  return text.length > MAX_HTML_CHARACTERS ? join(plainCode) : text
}

/** The published markdown. `write` returns the new address of a link or picture, or undefined to keep it. */
export function renderedMarkdown(
  { markdown }: Pick<Rendered, 'markdown'>,
  write: (address: string) => string | undefined,
): string {
  return markdown.map((part) => (typeof part === 'string' ? part : (write(part.address) ?? part.written))).join('')
}

/** A page that is too large shows its markdown. */
function asMarkdown(text: string, tokens: Token[], problems: Problem[]) {
  return {
    html: [`<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`],
    pictures: [],
    links: [],
    headings: new Map<string, Heading>(),
    anchors: new Set<string>(),
    passages: passagesIn(
      tokens.filter(({ type }) => !DIVISIONS.has(type)),
      new Map(),
    ),
    warnings: [],
    problems: [...problems, { line: 1, problem: 'the page is too large: its markdown is shown' }],
    markdown: [text],
  }
}

function anchorsIn(tokens: Token[]): Set<string> {
  const ids = tokens.flatMap((token) => [token.attrGet('id'), ...(token.children ?? []).map(referenceIdOf)])
  return new Set(ids.filter((id) => typeof id === 'string'))
}

function codeOf({ type, content, info }: Token): Code | undefined {
  if (type === 'fence') return readCode(content, plainText(info))
  return type === 'code_block' ? { code: content, language: '', style: PLAIN_STYLE } : undefined
}

function codeWarnings({ type, content, info, map }: Token): Problem[] {
  if (type !== 'fence') return []
  return infoMistakes(content, plainText(info)).map((problem) => ({ line: (map?.[0] ?? 0) + 1, problem }))
}

function plainCode({ code, language, style }: Code): string {
  return codeHtml(code, language, undefined, style)
}

// A larger page would take the memory of all others. A short text can become long: each link to a definition, such as
// `[a]`, repeats its address.
const MAX_HTML_CHARACTERS = 8 * 1024 * 1024
// The main thread resolves each link, picture and block of code of a page, while requests wait.
const MAX_ELEMENTS = 20_000
const COUNTED = new Set(['link_open', 'image', 'fence', 'code_block', 'footnote_reference'])
// Of one document.
const MAX_PROBLEMS = 20_000

function attributeCharacters(tokens: Token[]): number {
  let sum = 0
  for (const { attrs, children } of tokens) {
    for (const [, value] of attrs ?? []) sum += String(value).length
    if (children) sum += attributeCharacters(children)
  }
  return sum
}

function countElements(tokens: Token[]): number {
  return tokens.reduce((sum, { type, children }) => sum + Number(COUNTED.has(type)) + countElements(children ?? []), 0)
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
