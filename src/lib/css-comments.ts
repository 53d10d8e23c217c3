/**
 * Replaces the comments of a style sheet, in linear time. A comment without an end reaches to the end of the file (CSS
 * Syntax Module Level 3, section 4.3.2).
 */
export function replaceCssComments(css: string, replacement: (comment: string) => string): string {
  let result = ''
  let end = 0
  for (let start = css.indexOf('/*'); start >= 0; start = css.indexOf('/*', end)) {
    result += css.slice(end, start)
    const close = css.indexOf('*/', start + 2)
    end = close < 0 ? css.length : close + 2
    result += replacement(css.slice(start, end))
  }
  return result + css.slice(end)
}
