import type { OverlayOptions } from 'sharp'
import type { CardFacts } from './card-facts.ts'
import { CARD_FONTS, drawable } from './card-fonts.ts'
import { loadSharp } from './load-sharp.ts'

export interface DrawnText {
  image: NonNullable<OverlayOptions['input']>
  width: number
  height: number
}

interface TextStyle {
  /** In pixels. */
  size: number
  isBold: boolean
  colour: string
  maxWidth: number
  /** Where a line may end: after a word, or also within one that is too long. */
  wrap?: 'word' | 'word-char'
}

// More is never shown, and takes time to lay out.
const MAX_TITLE_CHARACTERS = 300
const TITLE_SIZES = [80, 70, 60, 52]
// Of the width of a line. Five halvings of the widths between are precise enough.
const LEAST_BALANCED_SHARE = 0.5
const BALANCE_STEPS = 5
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The title if the fonts have glyphs for most of its letters, else the title of the site, else its host. */
export async function shownTitle({ title, siteTitle, host }: CardFacts): Promise<string> {
  for (const text of [title, siteTitle]) {
    const start = text.slice(0, MAX_TITLE_CHARACTERS * 4)
    const shown = await drawable(start)
    if (shown && lettersIn(shown) * 2 >= lettersIn(start)) return shown
  }
  return host
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}

/** The title in the largest size in which it fits. A title that fits in none ends with an ellipsis. */
export async function drawTitle(text: string, style: Omit<TextStyle, 'size' | 'isBold'>, maxHeight: number) {
  const graphemes = Array.from(characters.segment(text), ({ segment }) => segment)
  const draw = (count: number, size: number) => {
    const shown = count < graphemes.length ? shortened(graphemes.slice(0, count).join('')) : text
    return drawText(shown, { ...style, size, isBold: true })
  }
  const most = Math.min(graphemes.length, MAX_TITLE_CHARACTERS)
  for (const size of TITLE_SIZES) {
    const drawn = await draw(most, size)
    if (drawn.height <= maxHeight) return most < graphemes.length ? drawn : balanced(text, drawn, { ...style, size })
  }
  const smallest = TITLE_SIZES.at(-1) ?? 0
  let [fits, tooMany] = [1, most]
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if ((await draw(middle, smallest)).height <= maxHeight) fits = middle
    else tooMany = middle
  }
  return draw(fits, smallest)
}

/** The same text in as many lines of nearly the same length, so that no last line has a single short word. */
async function balanced(text: string, drawn: DrawnText, style: Omit<TextStyle, 'isBold'>): Promise<DrawnText> {
  const { size, maxWidth } = style
  if (drawn.height < 1.5 * size) return drawn
  let best = drawn
  let [narrow, wide] = [maxWidth * LEAST_BALANCED_SHARE, maxWidth]
  for (let step = 0; step < BALANCE_STEPS; step++) {
    const middle = Math.round((narrow + wide) / 2)
    const tried = await drawText(text, { ...style, isBold: true, maxWidth: middle, wrap: 'word' })
    // The height is that of the drawn letters, and differs by less than a line with equal lines.
    const hasMoreLines = tried.height > drawn.height + size / 2
    if (hasMoreLines || tried.width > middle) narrow = middle
    else [best, wide] = [tried, middle]
  }
  return best
}

/** Ends with an ellipsis, after a whole word unless the word is long. */
function shortened(text: string): string {
  return `${text.replace(/\s\S{0,15}$/, '').replace(/[\s,;:.]{1,9}$/, '')}…`
}

/** Lays out a text with Pango, which shapes letters and orders them by direction. Lines are wrapped at `maxWidth`. */
export async function drawText(
  text: string,
  { size, isBold, colour, maxWidth, wrap = 'word-char' }: TextStyle,
): Promise<DrawnText> {
  const sharp = await loadSharp()
  const { data, info } = await sharp({
    text: {
      text: `<span foreground="${colour}">${escapeMarkup(text)}</span>`,
      font: `${CARD_FONTS} ${isBold ? 'Bold ' : ''}${size}`,
      // One point is one pixel.
      dpi: 72,
      width: maxWidth,
      wrap,
      rgba: true,
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { image: data, width: info.width, height: info.height }
}

function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Whether the first letter with a direction is one of a script that runs from right to left (UAX 9, rules P2 and P3). */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = /\p{L}/u.exec(text) ?? []
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(letter)
}
