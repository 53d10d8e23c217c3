import type { MarkdownIt, StateBlock, StateCore, StateInline } from 'markdown-it'
import { SourceNotes } from './source-notes.ts'
import {
  COMMENT_BEGIN,
  COMMENT_END,
  commentsIn,
  MIN_BEGIN_CHARACTERS,
  skipSpaces,
  textWithout,
} from './text-comments.ts'

/**
 * Removes HTML comments. Comments begin and end by the rules of CommonMark 0.31 (4.6 and 6.6), so `<!--` in code is
 * text. Unlike in CommonMark, text after a comment is parsed as markdown.
 */
export function hideComments(md: MarkdownIt): void {
  md.block.ruler.before('html_block', 'comment', blockComment, { alt: ['paragraph', 'reference', 'blockquote'] })
  md.inline.ruler.before('autolink', 'comment', inlineComment)
  md.core.ruler.after('block', 'info_comments', hideInfoComments)
}

/** Block rule for comments that begin a line. A comment without an end hides everything after it, as in a browser. */
function blockComment(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const { src, eMarks, sCount, bMarks, tShift, blkIndent } = state
  const start = (bMarks[startLine] ?? 0) + (tShift[startLine] ?? 0)
  const isCode = (sCount[startLine] ?? 0) - blkIndent >= 4
  if (isCode || !src.startsWith(COMMENT_BEGIN, start)) return false
  const lineEnd = (line: number) => eMarks[line] ?? src.length
  // Markdown-it calls the rule in silent mode for each line of a paragraph, to find out whether another block begins
  // there.
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

/** The end of consecutive comments and the spaces after them, or -1 if the last one does not end before `limit`. */
function endOfComments(src: string, start: number, limit: number): number {
  let position = start
  while (src.startsWith(COMMENT_BEGIN, position)) {
    const end = src.slice(position, limit).indexOf(COMMENT_END, MIN_BEGIN_CHARACTERS)
    if (end === -1) return -1
    position = skipSpaces(src, position + end + COMMENT_END.length)
  }
  return position
}

// Texts with a comment without an end. The search for `-->` is not repeated in them, which keeps the time linear.
const unclosed = new WeakSet<StateInline>()

/** Inline rule for comments within a line. A comment without an end in its paragraph is text. */
function inlineComment(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state
  if (!src.startsWith(COMMENT_BEGIN, pos) || unclosed.has(state)) return false
  const close = src.indexOf(COMMENT_END, pos + MIN_BEGIN_CHARACTERS)
  const notes = SourceNotes.of(state)
  if (close === -1) {
    unclosed.add(state)
    notes.inline(state, pos, pos + COMMENT_BEGIN.length, (start) => notes.openComment(start))
    return false
  }
  const after = close + COMMENT_END.length
  if (after > posMax) return false
  const isAfterSpace = pos === 0 || /\s/.test(src[pos - 1] ?? '')
  state.pos = isAfterSpace ? skipSpaces(src, after, posMax) : after
  if (!silent) notes.inlineComment(state, pos, state.pos)
  return true
}

/**
 * Core rule: removes comments from the info strings of fences (CommonMark 0.31, 4.5). The page uses only the first word
 * of an info string, the language. A comment without an end ends at the end of its line.
 */
function hideInfoComments(state: StateCore): void {
  const notes = SourceNotes.of(state)
  for (const token of state.tokens) {
    if (token.type !== 'fence' || !token.map || !token.info.includes(COMMENT_BEGIN)) continue
    const { info } = token
    const infoStart = notes.endOfLine(token.map[0]) - info.length
    const comments = commentsIn(info)
    for (const { start, end, isClosed } of comments) {
      if (!isClosed) notes.openComment(infoStart + start)
      notes.comment(infoStart + start, infoStart + end)
    }
    token.info = textWithout(comments, info)
  }
}
