import type { MarkdownIt, StateBlock, StateCore, StateInline } from 'markdown-it'
import { SourceNotes } from './source-notes.ts'

export const COMMENT_BEGIN = '<!--'
const COMMENT_END = '-->'
// `<!-->` and `<!--->` are whole comments.
const SHORTEST_BEGIN = '<!'.length

/**
 * Leaves out HTML comments, which are notes of the author. They are found by the rules of CommonMark 0.31 (4.6 and 6.6), so
 * `<!--` in code is text. Text after a comment is markdown.
 */
export function hideComments(md: MarkdownIt): void {
  md.block.ruler.before('html_block', 'comment', blockComment, { alt: ['paragraph', 'reference', 'blockquote'] })
  md.inline.ruler.before('autolink', 'comment', inlineComment)
  md.core.ruler.after('block', 'info_comments', hideInfoComments)
}

/** Comments that begin a line. A comment without an end hides everything after it, as it does in a browser. */
function blockComment(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const { src, eMarks, sCount, bMarks, tShift, blkIndent } = state
  const start = (bMarks[startLine] ?? 0) + (tShift[startLine] ?? 0)
  const isCode = (sCount[startLine] ?? 0) - blkIndent >= 4
  if (isCode || !src.startsWith(COMMENT_BEGIN, start)) return false
  const lineEnd = (line: number) => eMarks[line] ?? src.length
  // A paragraph asks, for each of its lines, whether another block begins there.
  if (silent) return isWholeLine(endOfComments(src, start, lineEnd(startLine)), lineEnd(startLine))
  const end = endOfComments(src, start, lineEnd(endLine - 1))
  let line = startLine
  while (line < endLine - 1 && (end === -1 || lineEnd(line) < end)) line++
  const notes = SourceNotes.of(state)
  if (isWholeLine(end, lineEnd(line))) {
    if (end === -1) notes.openComment(start)
    notes.commentLines(start, lineEnd(line))
    state.line = line + 1
    return true
  }
  // After a comment of one line, the text begins a paragraph and the comment is inline.
  if (line === startLine) return false
  notes.comment(start, end)
  bMarks[line] = end
  tShift[line] = 0
  sCount[line] = blkIndent
  state.line = line
  return true
}

const isWholeLine = (end: number, lineEnd: number) => end === -1 || end === lineEnd

/** Where comments that follow each other end, with the spaces after them; -1 if the last one does not end before the limit. */
function endOfComments(src: string, start: number, limit: number): number {
  let position = start
  while (src.startsWith(COMMENT_BEGIN, position)) {
    const end = src.slice(position, limit).indexOf(COMMENT_END, SHORTEST_BEGIN)
    if (end === -1) return -1
    position = skipSpaces(src, position + end + COMMENT_END.length)
  }
  return position
}

// Unclosed comments, each of which would be looked for to the end of its text again.
const unclosed = new WeakSet<StateInline>()

/** A comment within a line. Without an end in its paragraph it is text. */
function inlineComment(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state
  if (!src.startsWith(COMMENT_BEGIN, pos) || unclosed.has(state)) return false
  const found = src.indexOf(COMMENT_END, pos + SHORTEST_BEGIN)
  const notes = SourceNotes.of(state)
  if (found === -1) {
    unclosed.add(state)
    notes.inline(state, pos, pos + COMMENT_BEGIN.length, (start) => notes.openComment(start))
    return false
  }
  const after = found + COMMENT_END.length
  if (after > posMax) return false
  const isAfterSpace = pos === 0 || /\s/.test(src[pos - 1] ?? '')
  state.pos = isAfterSpace ? skipSpaces(src, after, posMax) : after
  if (!silent) notes.inlineComment(state, pos, state.pos)
  return true
}

function skipSpaces(src: string, start: number, limit = src.length): number {
  let position = start
  while (position < limit && (src[position] === ' ' || src[position] === '\t')) position++
  return position
}

/**
 * Removes comments from the info strings of fences (CommonMark 0.31, 4.5). The page shows only the first word of an info
 * string, so an author may write a comment after it. A comment without an end goes up to the end of its line.
 */
function hideInfoComments(state: StateCore): void {
  const notes = SourceNotes.of(state)
  for (const token of state.tokens) {
    if (token.type !== 'fence' || !token.map || !token.info.includes(COMMENT_BEGIN)) continue
    const { info } = token
    const infoStart = notes.endOfLine(token.map[0]) - info.length
    const texts: string[] = []
    let position = 0
    for (let start = info.indexOf(COMMENT_BEGIN); start !== -1; start = info.indexOf(COMMENT_BEGIN, position)) {
      texts.push(info.slice(position, start))
      const close = info.indexOf(COMMENT_END, start + SHORTEST_BEGIN)
      if (close === -1) notes.openComment(infoStart + start)
      position = close === -1 ? info.length : skipSpaces(info, close + COMMENT_END.length)
      notes.comment(infoStart + start, infoStart + position)
    }
    token.info = texts.join('') + info.slice(position)
  }
}
