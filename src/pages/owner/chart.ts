import { type Html, html } from '../html.ts'

export interface Bar {
  day: string
  count: number
}

// In SVG user units. The width of the picture follows its box.
const STEP = 10
const BAR = 7
const HEIGHT = 60
// A count above zero is visible beside the largest one.
const MIN_BAR = 2

/**
 * A bar for each day, as a picture without styles of its own (the Content-Security-Policy forbids them). `name` is
 * unique within the page. The page also has the counts as a table.
 */
export function barChart(name: string, title: string, bars: Bar[]): Html {
  const largest = largestOf(bars)
  return html`<svg class="chart" viewBox="0 0 ${bars.length * STEP} ${HEIGHT + 1}" preserveAspectRatio="none" role="img" aria-labelledby="${name}-title ${name}-text">
<title id="${name}-title">${title}</title>
<desc id="${name}-text">${summaryOf(bars)}</desc>
<rect class="ground" x="0" y="${HEIGHT}" width="${bars.length * STEP}" height="1"/>
${bars.map(({ day, count }, index) => {
  const height = count === 0 ? 0 : Math.max(MIN_BAR, Math.round((count / largest) * HEIGHT))
  return html`<g><title>${day}: ${count}</title><rect class="hit" x="${index * STEP}" y="0" width="${STEP}" height="${HEIGHT}"/><rect class="bar" x="${index * STEP + (STEP - BAR) / 2}" y="${HEIGHT - height}" width="${BAR}" height="${height}"/></g>`
})}
</svg>`
}

/** Such as "41 in 30 days, at most 9 on 2026-11-16." */
export function summaryOf(bars: Bar[]): string {
  const total = totalOf(bars)
  if (total === 0) return `None in ${bars.length} days.`
  const busiest = bars.reduce((best, bar) => (bar.count > best.count ? bar : best))
  return `${total} in ${bars.length} days, at most ${busiest.count} on ${busiest.day}.`
}

export function totalOf(bars: Bar[]): number {
  return bars.reduce((sum, { count }) => sum + count, 0)
}

export function largestOf(bars: Bar[]): number {
  return Math.max(0, ...bars.map(({ count }) => count))
}
