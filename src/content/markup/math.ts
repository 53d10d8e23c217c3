import type { MarkdownIt, StateBlock, StateInline, Token } from 'markdown-it'
import { escapeHtml } from '../../lib/escape-html.ts'
import { COMMENT_BEGIN } from '../text-comments.ts'
import { type Env, envOf } from './env.ts'
import { MAX_TEX_CHARACTERS, toMathMl } from './tex.ts'

/** Formulas in TeX: `$…$` in a text, and `$$…$$` on lines of their own or in a text. */
export function addMath(md: MarkdownIt): void {
  md.block.ruler.before('paragraph', 'math_block', parseBlock, { alt: ['paragraph', 'reference', 'blockquote'] })
  md.inline.ruler.after('escape', 'math', parseInline)
  md.renderer.rules.math = (tokens, index, _options, env) => {
    const { html, source } = render(tokens[index], env)
    return html ?? `<code class="language-tex">${source}</code>`
  }
  md.renderer.rules.math_block = (tokens, index, _options, env) => {
    const { html, source } = render(tokens[index], env)
    return html
      ? `<div class="math" tabindex="0" role="group" aria-label="Formula">${html}</div>\n`
      : `<pre tabindex="0"><code class="language-tex">${source}</code></pre>\n`
  }
}

// The formulas of one document, beyond which they are shown as TeX. Converting 100,000 characters takes about a second.
const MAX_DOCUMENT_TEX_CHARACTERS = 100_000

/** The MathML of a formula, or its source if it cannot be converted. */
function render(token: Token | undefined, anyEnv: unknown): { html?: string; source: string } {
  const env = anyEnv as Env
  const { content = '', meta } = token ?? {}
  const isTooMuch = env.texCharacters + content.length > MAX_DOCUMENT_TEX_CHARACTERS
  const result = isTooMuch
    ? { problem: `the formulas have more than ${MAX_DOCUMENT_TEX_CHARACTERS} characters in all` }
    : toMathMl(content, Boolean(meta?.isDisplay))
  if (!isTooMuch) env.texCharacters += content.length
  if ('problem' in result) env.problems.push({ line: Number(meta?.line), problem: result.problem })
  return { ...('html' in result && { html: result.html }), source: escapeHtml(content) }
}

const DELIMITER = '$$'
// The lines of a document in which no formula ends, by the state of the parser. They are not searched again, which
// keeps the time linear.
const withoutEnd = new WeakMap<StateBlock, { from: number; to: number }>()

/** Block rule: from a line that begins with `$$` to the first line that ends with `$$`, without blank lines. */
function parseBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const { src, bMarks, tShift, eMarks, sCount, blkIndent } = state
  const start = (bMarks[startLine] ?? 0) + (tShift[startLine] ?? 0)
  if ((sCount[startLine] ?? 0) - blkIndent >= 4 || !src.startsWith(DELIMITER, start)) return false
  const searched = withoutEnd.get(state)
  if (searched && startLine >= searched.from && startLine < searched.to) return false
  const lines: string[] = []
  let line = startLine
  for (; line < endLine && !state.isEmpty(line) && (line === startLine || (sCount[line] ?? 0) >= blkIndent); line++) {
    const from = (bMarks[line] ?? 0) + (tShift[line] ?? 0) + (line === startLine ? DELIMITER.length : 0)
    const text = src.slice(from, eMarks[line]).trimEnd()
    const isEnd = text.endsWith(DELIMITER)
    lines.push(isEnd ? text.slice(0, -DELIMITER.length) : text)
    if (isEnd) break
  }
  const tex = lines.join('\n').trim()
  const isClosed = line < endLine && lines.length === line - startLine + 1
  if (!isClosed) withoutEnd.set(state, { from: startLine, to: line })
  if (!isClosed || tex === '' || tex.includes(DELIMITER) || tex.includes(COMMENT_BEGIN)) return false
  if (silent) return true
  const token = state.push('math_block', '', 0)
  token.content = tex
  token.map = [startLine, line + 1]
  token.meta = { isDisplay: true, line: startLine + 1 }
  state.line = line + 1
  return true
}

/**
 * Inline rule. A price is not a formula: the next `$` ends it, after the first `$` and before the last one is no space,
 * and no letter or digit touches it from outside. (Pandoc, extension tex_math_dollars, has the same rules, but of the
 * letters and digits it excludes only a digit after the last `$`.)
 */
function parseInline(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state
  if (src[pos] !== '$') return false
  const run = runAt(src, pos)
  const from = pos + run
  const end = run > DELIMITER.length ? -1 : nextRun(src, from, run)
  const isFormula = end !== -1 && end + run <= posMax && isMath(src, from, end, run)
  if (isFormula && !silent) {
    const token = state.push('math', '', 0)
    token.content = src.slice(from, end).trim()
    token.meta = { isDisplay: run === DELIMITER.length, line: 1 }
    const { notes } = envOf(state)
    notes.inline(state, pos, from, (start) => Object.assign(token.meta ?? {}, { line: notes.lineOf(start) }))
  } else if (!silent) state.pending += '$'.repeat(run)
  state.pos = isFormula ? end + run : from
  return true
}

function isMath(src: string, from: number, end: number, run: number): boolean {
  if (end - from > MAX_TEX_CHARACTERS) return false
  const tex = src.slice(from, end)
  // A comment stays a comment, which is not published.
  if (tex.includes(COMMENT_BEGIN)) return false
  if (run === DELIMITER.length) return tex.trim() !== ''
  const isTouched = isWordCharacter(src[from - 2]) || isWordCharacter(src[end + 1])
  // Code such as `$a` is code also when a `$` precedes it.
  return tex !== '' && tex === tex.trim() && !tex.includes('`') && !isTouched
}

/** The next `$`, or the next `$$` with a single `$` before it skipped. A `$` after a backslash is skipped too. */
function nextRun(src: string, from: number, length: number): number {
  for (let at = src.indexOf('$', from); at !== -1; ) {
    const run = runAt(src, at)
    const isEscaped = isAfterBackslash(src, at)
    if (!isEscaped && run === length) return at
    if (!isEscaped && length === 1) return -1
    at = src.indexOf('$', at + (isEscaped ? 1 : run))
  }
  return -1
}

function runAt(text: string, position: number): number {
  let end = position
  while (text[end] === '$') end++
  return end - position
}

function isAfterBackslash(text: string, position: number): boolean {
  let start = position
  while (text[start - 1] === '\\') start--
  return (position - start) % 2 === 1
}

function isWordCharacter(character = ''): boolean {
  return /[\p{L}\p{N}]/u.test(character)
}
