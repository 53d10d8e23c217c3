export const COMMENT_BEGIN = '<!--'
export const COMMENT_END = '-->'
/** `<!-->` and `<!--->` are whole comments (CommonMark 0.31, 6.6). */
export const MIN_BEGIN_CHARACTERS = '<!'.length

interface TextComment {
  start: number
  /** After the spaces that follow the comment. */
  end: number
  isClosed: boolean
}

/** The comments of a text that is no markdown. A comment without an end ends with the text. */
export function commentsIn(text: string): TextComment[] {
  const comments: TextComment[] = []
  let position = 0
  for (let start = text.indexOf(COMMENT_BEGIN); start !== -1; start = text.indexOf(COMMENT_BEGIN, position)) {
    const close = text.indexOf(COMMENT_END, start + MIN_BEGIN_CHARACTERS)
    position = close === -1 ? text.length : skipSpaces(text, close + COMMENT_END.length)
    comments.push({ start, end: position, isClosed: close !== -1 })
  }
  return comments
}

export function textWithout(comments: TextComment[], text: string): string {
  const starts = [...comments.map(({ start }) => start), text.length]
  return starts.map((start, index) => text.slice(comments[index - 1]?.end ?? 0, start)).join('')
}

export function skipSpaces(text: string, start: number, limit = text.length): number {
  let position = start
  while (position < limit && (text[position] === ' ' || text[position] === '\t')) position++
  return position
}
