import { encode } from 'uqr'
import { escapeHtml } from './escape-html.ts'

// ISO/IEC 18004, section 6.3.8: a margin of four modules around the symbol.
const QUIET_ZONE_MODULES = 4

/**
 * A QR code as an SVG image. Colours are attributes, not styles, so that a Content-Security-Policy without
 * `unsafe-inline` allows it. It is black on white in every colour scheme, because many readers need that contrast.
 */
export function qrCode(text: string, label: string): string {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE_MODULES })
  const path = data.flatMap((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`))
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="240" height="240" role="img" ` +
    `aria-label="${escapeHtml(label)}" shape-rendering="crispEdges">` +
    `<rect width="${size}" height="${size}" fill="#fff"/><path d="${path.join('')}" fill="#000"/></svg>`
  )
}

/** The runs of dark modules in a row. */
function runsOf(row: boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = []
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue
    const last = runs.at(-1)
    if (last && last[0] + last[1] === x) last[1]++
    else runs.push([x, 1])
  }
  return runs
}
