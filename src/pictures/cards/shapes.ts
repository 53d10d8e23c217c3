import { readFile } from 'node:fs/promises'
import type { OverlayOptions } from 'sharp'
import { loadSharp } from '../load-sharp.ts'

/** A picture at a place on the card. */
export type Shape = Pick<OverlayOptions, 'input' | 'left' | 'top'>

export const PORTRAIT_SIDE_PX = 84
const MAX_PORTRAIT_PIXELS = 24_000_000

export function rectangle(left: number, top: number, width: number, height: number, colour: string): Shape {
  return { input: { create: { width, height, channels: 3, background: colour } }, left, top }
}

/** The portrait in a circle, or as a grey square. Undefined for a file that cannot be decoded, or is an SVG. */
export async function portraitOf(path: string, style: 'circle' | 'grey square'): Promise<Buffer | undefined> {
  if (!path) return undefined
  try {
    const sharp = await loadSharp()
    const square = sharp(await readFile(path), { limitInputPixels: MAX_PORTRAIT_PIXELS, failOn: 'error' })
      .autoOrient()
      .resize(PORTRAIT_SIDE_PX, PORTRAIT_SIDE_PX, { fit: 'cover' })
    const shaped =
      style === 'circle'
        ? square.ensureAlpha().composite([{ input: circle(PORTRAIT_SIDE_PX), raw: RAW_CIRCLE, blend: 'dest-in' }])
        : square.greyscale()
    return await shaped.png().toBuffer()
  } catch {
    return undefined
  }
}

const RAW_CIRCLE = { width: PORTRAIT_SIDE_PX, height: PORTRAIT_SIDE_PX, channels: 4 as const }

/** Pixels of a circle, whose edge is smoothed by the distance of each pixel from it. */
function circle(side: number): Buffer {
  const pixels = Buffer.alloc(side * side * 4, 255)
  const middle = (side - 1) / 2
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const inside = side / 2 - Math.hypot(x - middle, y - middle)
      pixels[4 * (y * side + x) + 3] = Math.round(255 * Math.min(1, Math.max(0, inside)))
    }
  return pixels
}
