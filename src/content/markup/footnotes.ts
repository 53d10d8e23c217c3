import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it'
import { COMMENT_BEGIN } from '../text-comments.ts'
import { envOf } from './env.ts'

interface Definition {
  label: string
  /** The line number in the markdown, from 1. */
  line: number
  tokens: Token[]
  /** From 1, in the order of the first references. 0 before the first reference. */
  number: number
  references: number
}

/** The definitions of a document, by normalised label. */
type Definitions = Map<string, Definition>

// No heading has one of these ids: the ids of headings contain no colon.
const FOOTNOTES_ID = 'fn:all'
const noteId = (number: number) => `fn:${number}`
const referenceId = (number: number, reference: number) => `fnref:${number}${reference > 1 ? `:${reference}` : ''}`

// The length of a label is limited, which bounds the time of the search for its end.
const REFERENCE = /\[\^([^\s[\]]{1,100})\]/y
const DEFINITION = /\[\^([^\s[\]]{1,100})\]:/y
const CONTINUATION_INDENT = 4

/**
 * Footnotes as on GitHub: `[^label]` refers to `[^label]: text`, whose further blocks are indented by four spaces. The
 * package markdown-it-footnote is not used: its time grows with the square of the number of footnotes.
 */
export function addFootnotes(md: MarkdownIt): void {
  md.block.ruler.before('reference', 'footnote', parseDefinition, { alt: ['paragraph', 'reference', 'blockquote'] })
  md.inline.ruler.before('link', 'footnote_reference', parseReference)
  md.core.ruler.after('block', 'footnote_definitions', takeDefinitions)
  md.core.ruler.after('inline', 'footnotes', appendFootnotes)
  md.renderer.rules.footnote_reference = (tokens, index) => referenceHtml(tokens[index])
  md.renderer.rules.footnote_return = (tokens, index) => returnHtml(tokens[index])
  md.renderer.rules.footnotes_open = () =>
    `<section class="footnotes" id="${FOOTNOTES_ID}" role="doc-endnotes" aria-label="Footnotes">\n<hr>\n<ol>\n`
  md.renderer.rules.footnotes_close = () => '</ol>\n</section>\n'
}

/**
 * The match of a label, if the pattern matches there. A label with a comment is no label, so that the comment is hidden
 * as in other text.
 */
function labelAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  const match = pattern.exec(text)
  return match?.[1]?.includes(COMMENT_BEGIN) ? null : match
}

function parseDefinition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const { bMarks, tShift, sCount, eMarks, blkIndent, parentType, tight } = state
  const start = (bMarks[startLine] ?? 0) + (tShift[startLine] ?? 0)
  if ((sCount[startLine] ?? 0) - blkIndent >= 4) return false
  const [head, label = ''] = labelAt(DEFINITION, state.src, start) ?? []
  if (head === undefined || start + head.length > (eMarks[startLine] ?? 0)) return false
  if (silent) return true
  const open = state.push('footnote_open', 'li', 1)
  open.map = [startLine, startLine]
  open.meta = { label }
  const first = { mark: bMarks[startLine] ?? 0, shift: tShift[startLine] ?? 0, indent: sCount[startLine] ?? 0 }
  state.blkIndent += CONTINUATION_INDENT
  const textStart = state.skipSpaces(start + head.length)
  bMarks[startLine] = textStart
  tShift[startLine] = 0
  sCount[startLine] = state.blkIndent
  state.md.block.tokenize(state, startLine, endLine)
  bMarks[startLine] = first.mark
  tShift[startLine] = first.shift
  sCount[startLine] = first.indent
  Object.assign(state, { blkIndent, parentType, tight })
  state.push('footnote_close', 'li', -1)
  return true
}

const definitionsByEnv = new WeakMap<object, Definitions>()
const definitionsOf = ({ env }: Pick<StateInline, 'env'>) => definitionsByEnv.get(env)

/** Records the definitions before the text is parsed. The first definition of a label counts. */
function takeDefinitions(state: StateCore): void {
  const { env, tokens, md } = state
  const definitions: Definitions = new Map()
  for (const { type, meta, map } of tokens) {
    if (type !== 'footnote_open') continue
    const label = String(meta?.label)
    const key = md.utils.normalizeReference(label)
    const line = (map?.[0] ?? 0) + 1
    if (definitions.has(key)) envOf(state).problems.push({ line, problem: `the footnote [^${label}] is defined twice` })
    else definitions.set(key, { label, line, tokens: [], number: 0, references: 0 })
  }
  definitionsByEnv.set(env, definitions)
}

function parseReference(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith('[^', state.pos)) return false
  const [written, label = ''] = labelAt(REFERENCE, state.src, state.pos) ?? []
  if (written === undefined || state.pos + written.length > state.posMax) return false
  const definition = definitionsOf(state)?.get(state.md.utils.normalizeReference(label))
  if (!definition) {
    if (!silent) noteMissing(state, written)
    return false
  }
  if (!silent) state.push('footnote_reference', '', 0).meta = { definition }
  state.pos += written.length
  return true
}

function noteMissing(state: StateInline, written: string): void {
  const end = state.pos + written.length
  // `[^text](address)` is a link.
  if (state.src[end] === '(' || state.src[end] === '[') return
  const { notes, problems } = envOf(state)
  notes.inline(state, state.pos, end, (start) => {
    problems.push({ line: notes.lineOf(start), problem: `there is no footnote ${written}` })
  })
}

/** Moves the definitions to the end of the document, in the order of their first references. */
function appendFootnotes(state: StateCore): void {
  const definitions = definitionsOf(state)
  if (!definitions || definitions.size === 0) return
  const text = withoutDefinitions(state, definitions)
  const used: Definition[] = []
  number(text, used)
  // A footnote may refer to further footnotes, which are appended to the list meanwhile.
  const items: Token[][] = []
  for (const definition of used) {
    number(definition.tokens, used)
    items.push(definition.tokens)
  }
  for (const { label, line, number } of definitions.values())
    if (number === 0) envOf(state).problems.push({ line, problem: `nothing refers to the footnote [^${label}]` })
  if (used.length === 0) {
    state.tokens = text
    return
  }
  const open = new state.Token('footnotes_open', 'section', 1)
  open.attrs = [['id', FOOTNOTES_ID]]
  const close = new state.Token('footnotes_close', 'section', -1)
  state.tokens = [text, [open], ...used.map((definition) => itemOf(definition, state)), [close]].flat()
}

/** The tokens outside of definitions. Those within are added to their definition. Definitions can be nested. */
function withoutDefinitions({ tokens, md }: StateCore, definitions: Definitions): Token[] {
  const text: Token[] = []
  const targets = [text]
  for (const token of tokens) {
    if (token.type === 'footnote_open') {
      const definition = definitions.get(md.utils.normalizeReference(String(token.meta?.label)))
      const isFirst = definition?.line === (token.map?.[0] ?? 0) + 1
      targets.push(isFirst && definition ? definition.tokens : [])
    } else if (token.type === 'footnote_close') targets.pop()
    else targets.at(-1)?.push(token)
  }
  return text
}

function number(tokens: Token[], used: Definition[]): void {
  for (const { children } of tokens) {
    for (const child of children ?? []) {
      if (child.type !== 'footnote_reference') continue
      const definition = child.meta?.definition as Definition
      if (definition.number === 0) definition.number = used.push(definition)
      child.meta = { number: definition.number, reference: ++definition.references }
    }
  }
}

/** The list item of a footnote. The links back to the text are in its last paragraph. */
function itemOf({ number, references, tokens }: Definition, { Token }: StateCore): Token[] {
  const open = blockToken('list_item_open', 'li', 1)
  open.attrs = [
    ['id', noteId(number)],
    ['dir', 'auto'],
  ]
  const returns = Array.from({ length: references }, (_, index) => {
    const link = new Token('footnote_return', '', 0)
    link.meta = { number, reference: index + 1 }
    return link
  })
  const lastText = tokens.at(-1)?.type === 'paragraph_close' ? tokens.at(-2) : undefined
  if (lastText?.children) for (const link of returns) lastText.children.push(link)
  const paragraph = lastText
    ? []
    : [blockToken('paragraph_open', 'p', 1), ...returns, blockToken('paragraph_close', 'p', -1)]
  return [open, ...tokens, ...paragraph, blockToken('list_item_close', 'li', -1)]

  function blockToken(type: string, tag: string, nesting: 1 | -1): Token {
    return Object.assign(new Token(type, tag, nesting), { block: true })
  }
}

/** The id of a reference to a footnote. Undefined for other tokens. */
export function referenceIdOf(token: Token): string | undefined {
  const place = token.type === 'footnote_reference' ? placeOf(token) : undefined
  return place && referenceId(place.number, place.reference)
}

function placeOf(token: Token | undefined): { number: number; reference: number } | undefined {
  return token?.meta?.number === undefined ? undefined : (token.meta as { number: number; reference: number })
}

/** A reference in the description of a picture has no number and is not rendered. */
function referenceHtml(token: Token | undefined): string {
  const place = placeOf(token)
  if (!place) return ''
  const { number, reference } = place
  return `<sup class="footnote"><a id="${referenceId(number, reference)}" href="#${noteId(number)}" role="doc-noteref" aria-label="Footnote ${number}">${number}</a></sup>`
}

function returnHtml(token: Token | undefined): string {
  const { number = 0, reference = 0 } = placeOf(token) ?? {}
  const which = reference > 1 ? `<sup>${reference}</sup>` : ''
  // U+FE0E (variation selector-15) selects the text presentation of the arrow instead of an emoji.
  return ` <a class="return" href="#${referenceId(number, reference)}" role="doc-backlink" aria-label="Back to reference ${reference} of footnote ${number}">↩\u{fe0e}${which}</a>`
}
