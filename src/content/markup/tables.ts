import type { MarkdownIt, Token } from 'markdown-it'
import { escapeHtml } from '../../lib/escape-html.ts'

/** Tables have an accessible name and a box in which wide ones scroll. Their cells have classes instead of styles. */
export function addTables(md: MarkdownIt): void {
  md.renderer.rules.table_open = (tokens, index) =>
    `<div class="table" tabindex="0" role="group" aria-label="${escapeHtml(tableLabel(tokens, index))}"><table dir="auto">`
  md.renderer.rules.table_close = () => '</table></div>'
  md.core.ruler.push('cells', ({ tokens }) => tokens.forEach(classifyCell))
}

// Cells with more text get a minimum width, so that a line has room for several words.
const LONG_CELL_CHARACTERS = 24

/** Replaces the inline style of a cell, which the CSP blocks, by classes for its alignment and for long text. */
function classifyCell(token: Token, index: number, tokens: Token[]): void {
  if (token.type !== 'th_open' && token.type !== 'td_open') return
  const [, side] = /^text-align:(\w+)$/.exec(String(token.attrGet('style'))) ?? []
  const isLong = textOf(tokens[index + 1]).length > LONG_CELL_CHARACTERS
  const classes = [side, isLong && 'long'].filter(Boolean)
  token.attrs = classes.length > 0 ? [['class', classes.join(' ')]] : []
}

/** The accessible name of a table: its column headings. */
function tableLabel(tokens: Token[], index: number): string {
  const names: string[] = []
  for (let at = index; tokens[at] && tokens[at]?.type !== 'thead_close'; at++) {
    if (tokens[at]?.type === 'inline') names.push(textOf(tokens[at]))
  }
  return ['Table', names.filter(Boolean).join(', ')].filter(Boolean).join(': ')
}

function textOf(inline: Token | undefined): string {
  return (inline?.children ?? []).map(({ content }) => content).join('')
}
