import { counted } from '../lib/counted.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import { nearest } from '../lib/nearest.ts'

/** How a block of code is shown, beside its language. */
export interface CodeStyle {
  title: string
  isNumbered: boolean
  /** The kind of each line. Empty if no line is marked, added or removed. */
  lines: LineKind[]
}

type LineKind = 'plain' | 'marked' | 'added' | 'removed'

/** A block of code as it is written. */
export interface Code {
  /** Without the marks of a diff, unless it is a patch. */
  code: string
  language: string
  style: CodeStyle
}

export const PLAIN_STYLE: CodeStyle = { title: '', isNumbered: false, lines: [] }

// The words after the language: line numbers in braces, a title in quotes, and options.
const INFO_WORD = /\{([\d, -]{0,200})\}|title="((?:[^"\\]|\\.)*)"|(\S+)/g
const OPTIONS = ['lineNumbers', 'diff'] as const
const MAX_MISTAKES = 5
const MAX_SHOWN_CHARACTERS = 40

/**
 * Reads the info string of a fence (CommonMark 0.31, 4.5), such as `ts {2,4-6} title="src/app.ts" lineNumbers diff`.
 */
export function readCode(content: string, info: string): Code {
  const { language, words } = splitInfo(info)
  const style = { title: '', isNumbered: false }
  let [isDiff, ranges] = [false, '']
  for (const [, numbers, title, word] of words) {
    if (numbers) ranges = numbers
    style.title = title?.replace(/\\(.)/g, '$1') ?? style.title
    style.isNumbered ||= word === 'lineNumbers'
    isDiff ||= word === 'diff'
  }
  const isMarked = lineTest(ranges)
  const isPatch = language === 'diff'
  if (!isMarked && !isDiff && !isPatch) return { code: content, language, style: { ...style, lines: [] } }
  const written = linesOf(content)
  const lines = written.map((line, index): LineKind => {
    const kind = isDiff || isPatch ? diffKind(line, isPatch) : 'plain'
    return kind === 'plain' && isMarked?.(index + 1) ? 'marked' : kind
  })
  const code = isDiff && !isPatch ? `${written.map((line) => line.replace(/^[-+ ]/, '')).join('\n')}\n` : content
  return { code, language, style: { ...style, lines } }
}

/** The first word is the language, unless it is an option. `diff` is a language too, as the first word. */
function splitInfo(info: string) {
  const [first = ''] = /^[^\s{]*/.exec(info.trim()) ?? []
  const language = first === 'lineNumbers' || first.startsWith('title="') ? '' : first
  return { language, words: info.trim().slice(language.length).matchAll(INFO_WORD) }
}

/** What an info string has no effect with: words that are no option, and lines that are not there. */
export function infoMistakes(content: string, info: string): string[] {
  const lines = linesOf(content).length
  const mistakes: string[] = []
  for (const [written, numbers, , word] of splitInfo(info).words) {
    if (word !== undefined && !OPTIONS.some((option) => option === word)) mistakes.push(noOption(word))
    if (numbers !== undefined && !areThere(numbers, lines)) {
      const size = counted(lines, 'line')
      mistakes.push(`${shortened(written)} cannot be marked: the code has ${size}, and lines are written as in {2,4-6}`)
    }
    if (mistakes.length === MAX_MISTAKES) break
  }
  return mistakes
}

function noOption(word: string): string {
  const meant = nearest(word, OPTIONS)
  const known = 'known are {2,4-6}, title="…", lineNumbers and diff'
  return `"${shortened(word)}" is no option of a block of code: ${meant ? `did you mean "${meant}"?` : known}`
}

function areThere(ranges: string, lines: number): boolean {
  const pairs = pairsOf(ranges)
  return pairs.length > 0 && pairs.every(([first, last]) => first >= 1 && first <= last && last <= lines)
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text
}

function linesOf(code: string): string[] {
  return code.replace(/\n$/, '').split('\n')
}

/** Whether a line number is in ranges such as `2,4-6`. Undefined if there are none. */
function lineTest(ranges: string): ((line: number) => boolean) | undefined {
  const pairs = pairsOf(ranges)
  if (pairs.length === 0) return undefined
  return (line) => pairs.some(([first, last]) => line >= first && line <= last)
}

function pairsOf(ranges: string): [first: number, last: number][] {
  return [...ranges.matchAll(/(\d{1,6})(?:-(\d{1,6}))?/g)].map(([, first, last]) => [
    Number(first),
    Number(last ?? first),
  ])
}

/** The lines of a patch that begin with `+++` and `---` are names of files. */
function diffKind(line: string, isPatch: boolean): LineKind {
  if (isPatch && /^(?:\+\+\+|---) /.test(line)) return 'plain'
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : 'plain'
}

/**
 * The HTML of a block of code. `coloured` is the HTML of its lines, or undefined for plain code. Lines are elements
 * only where their kind or number is shown.
 */
export function codeHtml(code: string, language: string, coloured: string[] | undefined, style: CodeStyle): string {
  const { title, isNumbered, lines: kinds } = style
  const hasLines = isNumbered || kinds.length > 0
  const label = language && ` data-language="${escapeHtml(language)}"`
  const name = language && ` class="language-${escapeHtml(language)}"`
  const classes = [hasLines && 'lines', isNumbered && 'numbered', kinds.some(isChange) && 'changes'].filter(Boolean)
  const list = classes.length > 0 ? ` class="${classes.join(' ')}"` : ''
  const text = hasLines
    ? (coloured ?? linesOf(code).map(escapeHtml))
        .map((line, index) => lineHtml(line, kinds[index], language))
        .join('\n')
    : (coloured?.join('\n') ?? escapeHtml(code))
  const block = `<pre${list} tabindex="0"${label}><code${name}>${text}</code></pre>\n`
  return title ? `<figure class="code-figure"><figcaption>${escapeHtml(title)}</figcaption>${block}</figure>\n` : block
}

const isChange = (kind: LineKind) => kind === 'added' || kind === 'removed'

/** Elements that show the kind without the style sheet too. The lines of a patch have their own marks. */
function lineHtml(html: string, kind: LineKind = 'plain', language: string): string {
  const element = { plain: 'span', marked: 'mark', added: 'ins', removed: 'del' }[kind]
  return language === 'diff' && isChange(kind)
    ? `<span class="line ${kind}">${html}</span>`
    : `<${element} class="line">${html}</${element}>`
}
