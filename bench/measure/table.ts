import type { Row } from './rows.ts'

const HEADINGS = {
  work: 'work',
  portico: 'Portico',
  against: 'compared with',
  result: 'ratio',
  bar: 'bar',
  verdict: 'verdict',
}

const PEER_HEADINGS = {
  work: 'work',
  portico: 'Portico',
  against: 'compared with',
  result: 'ratio',
  differs: 'what differs in the work',
}

export const tableOf = (rows: Row[]) => table(HEADINGS, rows)
export const peerTableOf = (rows: Row[]) => table(PEER_HEADINGS, rows)

/** A markdown table with aligned columns. */
function table<Column extends keyof Row>(headings: Record<Column, string>, rows: Row[]): string {
  const columns = Object.keys(headings) as Column[]
  const lines = [headings, ...rows].map((row) => columns.map((column) => row[column] ?? ''))
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)))
  const [head, ...body] = lines.map(
    (line) => `| ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`,
  )
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body].join('\n')
}
