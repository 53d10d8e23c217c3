import type { StateCore, StateInline, Token } from 'markdown-it'

/** A link as the author wrote it: `[text](address)`, or the definition `[label]: address`. */
export interface WrittenLink {
  /** The address as it is in the HTML. */
  address: string
  /** The line number in the markdown, from 1. */
  line: number
}

/** A part of the published markdown: text, or the address of a link or picture, which may be rewritten. */
export type MarkdownPart = string | { address: string; written: string }

interface Range {
  start: number
  end: number
}

interface Link extends Range {
  address: string
}

/** Maps an offset in a text to the offset in the source. */
type ToSource = (offset: number) => number

/** The text that markdown-it's inline parser is parsing. */
interface Inline {
  content: string
  toSource: ToSource
  /** The offset of the text in the content of its token. */
  start: number
  /** The comments in the content of the token. */
  comments: Range[]
}

/**
 * The source ranges of the comments, links and pictures of a document. The published markdown is the source without the
 * comments and with rewritten addresses. All other text is unchanged.
 */
export class SourceNotes {
  readonly #source: string
  readonly #lineStarts: number[]
  readonly #comments: Range[] = []
  readonly #links: Link[] = []
  readonly #pictures: Link[] = []
  readonly #openComments: number[] = []
  #inline: Inline | undefined

  constructor(source: string) {
    this.#source = source
    this.#lineStarts = lineStartsOf(source)
  }

  static of({ env }: Pick<StateInline, 'env'>): SourceNotes {
    return env.notes as SourceNotes
  }

  /** Records a comment. `start` and `end` are offsets in the source. */
  comment(start: number, end: number): void {
    this.#comments.push({ start, end })
  }

  /**
   * Records a comment that ends at the end of a line, `end`. The range covers whole lines if only spaces precede the
   * comment. A blank line stays between the blocks before and after it.
   */
  commentLines(start: number, end: number): void {
    const source = this.#source
    const lineStart = source.lastIndexOf('\n', start - 1) + 1
    const isWhole = source.slice(lineStart, start).trim() === ''
    const isAfterBlank = lineStart === 0 || source[lineStart - 2] === '\n'
    const isBeforeBlank = end + 1 >= source.length || source[end + 1] === '\n'
    const newlines = Number(isAfterBlank) + Number(isBeforeBlank)
    if (isWhole) this.comment(lineStart, Math.min(source.length, end + newlines))
    else this.comment(start, end)
  }

  /** Records the offset of a comment without an end. */
  openComment(start: number): void {
    this.#openComments.push(start)
  }

  link(start: number, end: number, address: string): void {
    this.#links.push({ start, end, address })
  }

  picture(start: number, end: number, address: string): void {
    this.#pictures.push({ start, end, address })
  }

  /** Calls `note` with the source offsets of a range of the inline text. */
  inline({ src }: StateInline, start: number, end: number, note: (start: number, end: number) => void): void {
    if (src !== this.#inline?.content) return
    const { toSource } = this.#inline
    // `end` may be the start of the next line, which is not adjacent in the source. So the last character is mapped.
    note(toSource(start), toSource(end - 1) + 1)
  }

  inlineComment(state: StateInline, start: number, end: number): void {
    this.inline(state, start, end, (from, to) => {
      this.comment(from, to)
      const shift = this.#inline?.start ?? 0
      this.#inline?.comments.push({ start: shift + start, end: shift + end })
    })
  }

  /** Runs a rule that parses a part of the text, such as the description of a picture, with a nested inline parser. */
  within<T>({ src }: StateInline, start: number, end: number, run: () => T): T {
    const outer = this.#inline
    if (src !== outer?.content) return run()
    const toSource: ToSource = (offset) => outer.toSource(start + offset)
    this.#inline = { ...outer, content: src.slice(start, end), toSource, start: outer.start + start }
    try {
      return run()
    } finally {
      this.#inline = outer
    }
  }

  /** Replaces the core rule `inline` of markdown-it. Also maps the content of each token to its source offsets. */
  parseInline({ tokens, md, env }: StateCore): void {
    let line = 0
    let cellFrom = 0
    for (const token of tokens) {
      if (token.map) {
        line = token.map[0]
        cellFrom = this.#lineStarts[line] ?? 0
      }
      if (token.type === 'tr_close') this.#hideSurplusCells(cellFrom, this.endOfLine(line))
      if (token.type !== 'inline') continue
      // The tokens of table cells have no line map.
      const toSource = token.map ? this.#lineMapping(token.content, line) : this.#cellMapping(token.content, cellFrom)
      if (!token.map) cellFrom = toSource(token.content.length)
      const comments: Range[] = []
      this.#inline = { content: token.content, toSource, start: 0, comments }
      md.inline.parse(token.content, md, env, token.children ?? [])
      token.content = without(comments, token)
    }
    this.#inline = undefined
  }

  /**
   * Records the comments of the cells that a row has beyond the columns of its table. Markdown-it leaves these cells
   * out without parsing them. The first of them may begin within a comment.
   */
  #hideSurplusCells(from: number, to: number): void {
    const rest = this.#source.slice(from, to)
    const [firstBegin, firstEnd] = [rest.indexOf('<!--'), rest.indexOf('-->')]
    if (firstEnd !== -1 && (firstBegin === -1 || firstEnd < firstBegin)) this.comment(from, from + firstEnd + 3)
    for (let begin = firstBegin; begin !== -1; ) {
      const end = rest.indexOf('-->', begin + 4)
      this.comment(from + begin, end === -1 ? to : from + end + 3)
      begin = end === -1 ? -1 : rest.indexOf('<!--', end + 3)
    }
  }

  /** Each line of the content is a line of the source without the markers of block quotes, lists and headings. */
  #lineMapping(content: string, firstLine: number): ToSource {
    let starts: number[] | undefined
    const shifts = new Map<number, number>()
    return (offset) => {
      starts ??= lineStartsOf(content)
      const number = lineAt(starts, offset)
      const start = starts[number] ?? 0
      const shift =
        shifts.get(number) ?? this.#sourceStartOf(content.slice(start, starts[number + 1]), firstLine + number)
      shifts.set(number, shift)
      return shift + offset - start
    }
  }

  #sourceStartOf(text: string, line: number): number {
    const trimmed = text.trim()
    const lineEnd = this.#lineStarts[line + 1] ?? this.#source.length
    return this.#source.lastIndexOf(trimmed, lineEnd - trimmed.length) - (text.length - text.trimStart().length)
  }

  /** The source of a cell has a backslash before each pipe. The content does not. */
  #cellMapping(content: string, from: number): ToSource {
    const shift = this.#source.indexOf(content.replaceAll('|', '\\|'), from)
    let [counted, pipes] = [0, 0]
    return (offset) => {
      if (offset < counted) [counted, pipes] = [0, 0]
      for (; counted < offset; counted++) if (content[counted] === '|') pipes++
      return shift + offset + pipes
    }
  }

  get links(): WrittenLink[] {
    return this.#links.map(({ start, address }) => ({ address, line: this.lineOf(start) }))
  }

  /** The line numbers of comments that have no end. */
  get openComments(): number[] {
    return this.#openComments.map((start) => this.lineOf(start))
  }

  /** The offset of the end of a line, which is counted from 0. */
  endOfLine(line: number): number {
    const next = this.#lineStarts[line + 1]
    return next === undefined ? this.#source.length : next - 1
  }

  /** The line number, from 1, of an offset in the source. */
  lineOf(position: number): number {
    return lineAt(this.#lineStarts, position) + 1
  }

  /** The source without comments. */
  publish(): MarkdownPart[] {
    const changes: (Range & Partial<Link>)[] = [...this.#comments, ...this.#links, ...this.#pictures]
    changes.sort((a, b) => a.start - b.start)
    let at = 0
    const parts = changes.flatMap(({ start, end, address }) => {
      const before = this.#source.slice(at, start)
      at = end
      return address === undefined ? [before] : [before, { address, written: this.#source.slice(start, end) }]
    })
    return [...parts, this.#source.slice(at)]
  }
}

function without(ranges: Range[], { content }: Token): string {
  let at = 0
  const parts = ranges.map(({ start, end }) => {
    const before = content.slice(at, start)
    at = end
    return before
  })
  return parts.join('') + content.slice(at)
}

function lineStartsOf(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** The line number, from 0, of an offset. Binary search. */
function lineAt(starts: number[], position: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  return low
}
