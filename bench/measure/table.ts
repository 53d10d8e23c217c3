import type { Row } from './rows.ts'

const HEADINGS: Record<keyof Row, string> = {
  work: 'work',
  portico: 'Portico',
  against: 'compared with',
  result: 'ratio',
  bar: 'bar',
  verdict: 'verdict',
}

/** A table in markdown that is also one to the eye. */
export function tableOf(rows: Row[]): string {
  const columns = Object.keys(HEADINGS) as (keyof Row)[]
  const width = (column: keyof Row) => Math.max(...[HEADINGS, ...rows].map((row) => row[column].length))
  const widths = Object.fromEntries(columns.map((column) => [column, width(column)]))
  const line = (row: Record<keyof Row, string>) =>
    `| ${columns.map((column) => row[column].padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `|${columns.map((column) => '-'.repeat((widths[column] ?? 0) + 2)).join('|')}|`
  return [line(HEADINGS), rule, ...rows.map(line)].join('\n')
}
