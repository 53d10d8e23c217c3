import type { MarkdownIt, StateBlock, StateInline, Token } from 'markdown-it'
import { SourceNotes } from './source-notes.ts'
import { COMMENT_BEGIN } from './text-comments.ts'

// As markdown-it writes it in an address.
const ENCODED_BEGIN = encodeURI(COMMENT_BEGIN)

/**
 * Records the source ranges of addresses: those of `[text](address)`, `![text](address)` and `[label]: address`. Wraps
 * the rules of markdown-it without changing what they accept. Descriptions of pictures are parsed by a nested inline
 * parser.
 */
export function noteLinks(md: MarkdownIt): void {
  const link = ruleNamed('link', md.inline.ruler.getRules(''))
  md.inline.ruler.at('link', (state, silent) => {
    const start = state.pos
    const isLink = link(state, silent)
    if (isLink && !silent) {
      const labelEnd = md.helpers.parseLinkLabel(state, start, true)
      noteAddress(state, labelEnd, (notes, from, to, address) => notes.link(from, to, address))
    }
    return isLink
  })
  const image = ruleNamed('image', md.inline.ruler.getRules(''))
  md.inline.ruler.at('image', (state, silent) => {
    const start = state.pos
    if (silent || !state.src.startsWith('![', start)) return image(state, silent)
    const labelEnd = md.helpers.parseLinkLabel(state, start + 1, false)
    const isPicture = SourceNotes.of(state).within(state, start + 2, labelEnd, () => image(state, silent))
    if (!isPicture) return false
    describe(state.tokens.at(-1))
    noteAddress(state, labelEnd, (notes, from, to, address) => notes.picture(from, to, address))
    return true
  })
  const reference = ruleNamed('reference', md.block.ruler.getRules(''))
  md.block.ruler.at('reference', (state, startLine, endLine, silent) => {
    const isReference = reference(state, startLine, endLine, silent)
    if (isReference && !silent) {
      noteDefinition(state, startLine)
      forgetComment(state)
    }
    return isReference
  })
}

/** Replaces the description of a picture, as written, by its text without comments. */
function describe(picture: Token | undefined): void {
  if (!picture?.children) return
  const isBreak = ({ type }: Token) => type === 'softbreak' || type === 'hardbreak'
  picture.content = picture.children.map((part) => (isBreak(part) ? ' ' : part.content)).join('')
}

function ruleNamed<Rule extends { name: string }>(name: string, rules: Rule[]): Rule {
  const rule = rules.find((rule) => rule.name === name)
  if (!rule) throw new Error(`markdown-it has no rule ${name}`)
  return rule
}

/** Calls `note` with the range of the address that follows a label: `(address)`. */
function noteAddress(
  state: StateInline,
  labelEnd: number,
  note: (notes: SourceNotes, start: number, end: number, address: string) => void,
): void {
  const { src, md, pos: linkEnd, posMax } = state
  // A reference (`[label]` or `[text][label]`) has no address of its own.
  if (src[labelEnd + 1] !== '(' || linkEnd === labelEnd + 1) return
  let from = labelEnd + 2
  while (/\s/.test(src[from] ?? '')) from++
  const { ok, pos, str } = md.helpers.parseLinkDestination(src, from, posMax)
  if (!ok || pos === from) return
  const notes = SourceNotes.of(state)
  notes.inline(state, from, pos, (start, end) => note(notes, start, end, md.normalizeLink(str)))
}

/**
 * A definition that is a comment because it contains `<!--` defines nothing, so `[text][<!-- note -->]` is no link. Its
 * label is then parsed as text, in which the comment is hidden.
 */
function forgetComment({ env, tokens }: StateBlock): void {
  const label = String(tokens.at(-1)?.meta?.label)
  const references = env.references ?? {}
  const { href, title } = references[label] ?? {}
  const isComment = [label, href, title].some((text) => text?.includes(COMMENT_BEGIN) || text?.includes(ENCODED_BEGIN))
  if (isComment) delete references[label]
}

/**
 * Records the address of a definition, or the whole definition as a comment. Markdown has no comments of its own, so
 * authors write `[//]: # (note)` or `[comment]: <> (note)`. A definition is a comment if its address is `#` or empty,
 * or if its label, address or title contains `<!--`.
 */
function noteDefinition(state: StateBlock, startLine: number): void {
  const { src, md, bMarks, tShift, eMarks } = state
  let line = startLine
  let from = textStart(line) + 1
  // markdown-it has accepted the definition, so it has a label, and an address in the same line or in the next one.
  while (from < src.length && src[from] !== ']') step(src[from] === '\\' ? 2 : 1)
  step(2)
  // The whitespace of markdown-it. A no-break space is part of the address.
  while (/[ \t\n]/.test(src[from] ?? '')) step(1)
  const { ok, pos, str } = md.helpers.parseLinkDestination(src, from, eMarks[line] ?? src.length)
  if (!ok) return
  const notes = SourceNotes.of(state)
  const [start, end] = [textStart(startLine), eMarks[state.line - 1] ?? src.length]
  if (str === '' || str === '#' || src.slice(start, end).includes(COMMENT_BEGIN)) notes.commentLines(start, end)
  else notes.link(from, pos, md.normalizeLink(str))

  function step(characters: number): void {
    from += characters
    if (from >= (eMarks[line] ?? src.length) && line < state.line - 1) from = textStart(++line)
  }

  function textStart(line: number): number {
    return (bMarks[line] ?? 0) + (tShift[line] ?? 0)
  }
}
