import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import { SourceNotes } from './source-notes.ts'

const BEGIN = '<!--'
const END = '-->'
// `<!-->` and `<!--->` are whole comments.
const SHORTEST_BEGIN = '<!'.length

/**
 * Leaves out HTML comments, which are notes of the author. They are found by the rules of CommonMark 0.31 (4.6 and 6.6), so
 * `<!--` in code is text. Text after a comment is markdown.
 */
export function hideComments(md: MarkdownIt): void {
  md.block.ruler.before('html_block', 'comment', blockComment, { alt: ['paragraph', 'reference', 'blockquote'] })
  md.inline.ruler.before('autolink', 'comment', inlineComment)
}

/** Comments that begin a line. A comment without an end hides everything after it, as it does in a browser. */
function blockComment(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const { src, eMarks, sCount, bMarks, tShift, blkIndent } = state
  const start = (bMarks[startLine] ?? 0) + (tShift[startLine] ?? 0)
  const isCode = (sCount[startLine] ?? 0) - blkIndent >= 4
  if (isCode || !src.startsWith(BEGIN, start)) return false
  const lineEnd = (line: number) => eMarks[line] ?? src.length
  // A paragraph asks, for each of its lines, whether another block begins there.
  if (silent) return isWholeLine(endOfComments(src, start, lineEnd(startLine)), lineEnd(startLine))
  const end = endOfComments(src, start, lineEnd(endLine - 1))
  let line = startLine
  while (line < endLine - 1 && (end === -1 || lineEnd(line) < end)) line++
  const notes = SourceNotes.of(state)
  if (isWholeLine(end, lineEnd(line))) {
    if (end === -1) notes.openComment(start)
    noteLines(notes, src, start, lineEnd(line))
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
  while (src.startsWith(BEGIN, position)) {
    const end = src.slice(position, limit).indexOf(END, SHORTEST_BEGIN)
    if (end === -1) return -1
    position = skipSpaces(src, position + end + END.length)
  }
  return position
}

/** Takes out whole lines where nothing stands before the comment, and keeps the paragraphs around it apart. */
function noteLines(notes: SourceNotes, src: string, start: number, end: number): void {
  const lineStart = src.lastIndexOf('\n', start - 1) + 1
  const isWhole = src.slice(lineStart, start).trim() === ''
  const isAfterBlank = lineStart === 0 || src[lineStart - 2] === '\n'
  const isBeforeBlank = end + 1 >= src.length || src[end + 1] === '\n'
  const newlines = Number(isAfterBlank) + Number(isBeforeBlank)
  if (isWhole) notes.comment(lineStart, Math.min(src.length, end + newlines))
  else notes.comment(start, end)
}

// Unclosed comments, each of which would be looked for to the end of its text again.
const unclosed = new WeakSet<StateInline>()

/** A comment within a line. Without an end in its paragraph it is text. */
function inlineComment(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state
  if (!src.startsWith(BEGIN, pos) || unclosed.has(state)) return false
  const found = src.indexOf(END, pos + SHORTEST_BEGIN)
  const notes = SourceNotes.of(state)
  if (found === -1) {
    unclosed.add(state)
    notes.inline(state, pos, pos + BEGIN.length, (start) => notes.openComment(start))
    return false
  }
  const after = found + END.length
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
