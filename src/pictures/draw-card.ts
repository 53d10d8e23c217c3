import { readFile } from 'node:fs/promises'
import type { OverlayOptions } from 'sharp'
import { CARD_SIZE, type CardFacts } from './card-facts.ts'
import { drawable } from './card-fonts.ts'
import { type DrawnText, drawText, drawTitle, isRightToLeft, shownTitle } from './card-text.ts'
import { loadSharp } from './load-sharp.ts'

// The light colours of tokens.css.
const GROUND = '#fbfaf8'
const INK = '#1b1c1e'
const SOFT = '#5c5d61'

const { width: WIDTH, height: HEIGHT } = CARD_SIZE
const MARGIN = 80
const LINE_WIDTH = WIDTH - 2 * MARGIN
const BAR_HEIGHT = 18
const NAME_TOP = 84
const TITLE_TOP = 168
const MAX_TITLE_HEIGHT = 284
const FOOT_MIDDLE = 536
const PORTRAIT_SIDE = 84
const PORTRAIT_GAP = 24
const COLUMNS_TOP = 500
const MAX_NAME_CHARACTERS = 60
const MAX_PORTRAIT_PIXELS = 24_000_000

/** Draws the social card of a page as a PNG, in the look of the site. */
export async function drawCard(card: CardFacts): Promise<Buffer> {
  const sharp = await loadSharp()
  const { accent, tint } = card.colours
  const title = await shownTitle(card)
  const isRtl = isRightToLeft(title)
  const atStart = (width: number, inset = 0) => (isRtl ? WIDTH - MARGIN - inset - width : MARGIN + inset)
  const line = async (text: string, size: number, isBold: boolean, colour: string) => {
    const shown = await drawable(text.slice(0, 4 * MAX_NAME_CHARACTERS))
    const short = shown.length > MAX_NAME_CHARACTERS ? `${shown.slice(0, MAX_NAME_CHARACTERS)}…` : shown
    return short ? drawText(short, { size, isBold, colour, maxWidth: LINE_WIDTH - PORTRAIT_SIDE }) : undefined
  }
  const at = (drawn: DrawnText | undefined, top: number, inset = 0): OverlayOptions[] =>
    drawn ? [{ input: drawn.image, left: atStart(drawn.width, inset), top: Math.round(top) }] : []

  const name = title === card.siteTitle ? undefined : await line(card.siteTitle, 34, true, accent)
  const heading = await drawTitle(title, { colour: INK, maxWidth: LINE_WIDTH }, MAX_TITLE_HEIGHT)
  const author = await line(card.author, 32, true, INK)
  const date = await line(card.date, 28, false, SOFT)
  const portrait = card.portrait ? await roundPortrait(card.portrait) : undefined
  const inset = portrait ? PORTRAIT_SIDE + PORTRAIT_GAP : 0
  const [authorMiddle, dateMiddle] = author && date ? [FOOT_MIDDLE - 21, FOOT_MIDDLE + 23] : [FOOT_MIDDLE, FOOT_MIDDLE]
  return sharp({ create: { ...CARD_SIZE, channels: 3, background: GROUND } })
    .composite([
      ...columns(tint, isRtl),
      { input: rectangle(WIDTH, BAR_HEIGHT, accent), left: 0, top: 0 },
      ...at(name, NAME_TOP),
      ...at(heading, TITLE_TOP + (MAX_TITLE_HEIGHT - heading.height) / 3),
      ...(portrait ? [{ input: portrait, left: atStart(PORTRAIT_SIDE), top: FOOT_MIDDLE - PORTRAIT_SIDE / 2 }] : []),
      ...at(author, authorMiddle - (author?.height ?? 0) / 2, inset),
      ...at(date, dateMiddle - (date?.height ?? 0) / 2, inset),
    ])
    .png({ compressionLevel: 9, effort: 7 })
    .toBuffer()
}

/** The columns of a portico, as behind the start of the home page. */
function columns(colour: string, isRtl: boolean): OverlayOptions[] {
  const [count, width, gap] = [4, 34, 40]
  return Array.from({ length: count }, (_, index) => {
    const fromEdge = MARGIN + index * (width + gap)
    return {
      input: rectangle(width, HEIGHT - COLUMNS_TOP, colour),
      left: isRtl ? fromEdge : WIDTH - fromEdge - width,
      top: COLUMNS_TOP,
    }
  })
}

function rectangle(width: number, height: number, background: string): OverlayOptions['input'] {
  return { create: { width, height, channels: 3, background } }
}

/** The portrait as a circle. Undefined for a file that cannot be decoded, or is an SVG. */
async function roundPortrait(path: string): Promise<Buffer | undefined> {
  try {
    const sharp = await loadSharp()
    return await sharp(await readFile(path), { limitInputPixels: MAX_PORTRAIT_PIXELS, failOn: 'error' })
      .autoOrient()
      .resize(PORTRAIT_SIDE, PORTRAIT_SIDE, { fit: 'cover' })
      .ensureAlpha()
      .composite([{ input: circle(PORTRAIT_SIDE), raw: square(PORTRAIT_SIDE), blend: 'dest-in' }])
      .png()
      .timeout({ seconds: 5 })
      .toBuffer()
  } catch {
    return undefined
  }
}

const square = (side: number) => ({ width: side, height: side, channels: 4 as const })

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
