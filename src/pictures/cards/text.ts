import type { OverlayOptions } from 'sharp'
import { loadSharp } from '../load-sharp.ts'
import type { CardFacts, CardFont, ShownCard } from './facts.ts'
import { drawable, FALLBACK_FAMILIES, FONT_FAMILIES, graphemesOf } from './fonts.ts'

export interface DrawnText {
  image: NonNullable<OverlayOptions['input']>
  width: number
  height: number
}

export interface TextStyle {
  font: CardFont
  isBold: boolean
  /** In pixels. */
  size: number
  colour: string
  maxWidth: number
  /** Lines begin at the start of the direction of the text, unless they are centred. */
  isCentred?: boolean
  /** Marks in a colour of their own, before and after the text. */
  marks?: { before: string; after: string; colour: string }
  /** Where a line may end: after a word, or also within one that is too long. */
  wrap?: 'word' | 'word-char'
}

// More is never shown, and takes time to lay out.
const MAX_TITLE_CHARACTERS = 300
// Of the width of a line. Five halvings of the widths between are precise enough.
const LEAST_BALANCED_SHARE = 0.5
const BALANCE_STEPS = 5

/**
 * The title of the page and the line above it. A title for which the fonts have too few glyphs is replaced by that of
 * the site, and that by the host. Above the title of the site is the host.
 */
export async function shownTexts({ title, siteTitle, host }: CardFacts): Promise<Pick<ShownCard, 'title' | 'name'>> {
  const [page, site] = [await readable(title), await readable(siteTitle)]
  const shown = page || site || host
  return { title: shown, name: [site, host].find((text) => text && text !== shown) ?? '' }
}

/** The text without the characters that cannot be drawn. Empty if these are most of its letters. */
async function readable(text: string): Promise<string> {
  const start = text.slice(0, MAX_TITLE_CHARACTERS * 4)
  const shown = await drawable(start)
  return lettersIn(shown) * 2 >= lettersIn(start) ? shown : ''
}

function lettersIn(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
}

/**
 * The title in the first of the sizes in which it fits. A title that fits in none ends with an ellipsis, and one whose
 * first grapheme does not fit is an ellipsis alone.
 */
export async function drawTitle(text: string, style: Omit<TextStyle, 'size'>, sizes: number[], maxHeight: number) {
  const graphemes = graphemesOf(text)
  const draw = (count: number, size: number) => {
    const shown = count < graphemes.length ? shortened(graphemes.slice(0, count).join('')) : text
    return drawText(shown, { ...style, size })
  }
  const isFitting = ({ width, height }: DrawnText) => width <= style.maxWidth && height <= maxHeight
  const most = Math.min(graphemes.length, MAX_TITLE_CHARACTERS)
  for (const size of sizes) {
    const drawn = await draw(most, size)
    if (isFitting(drawn)) return most < graphemes.length ? drawn : balanced(text, drawn, { ...style, size })
  }
  const smallest = sizes.at(-1) ?? 0
  let [fits, tooMany] = [1, most]
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (isFitting(await draw(middle, smallest))) fits = middle
    else tooMany = middle
  }
  const drawn = await draw(fits, smallest)
  return isFitting(drawn) ? drawn : drawText('…', { ...style, size: smallest })
}

/** The same text in as many lines of nearly the same length, so that no last line has a single short word. */
async function balanced(text: string, drawn: DrawnText, style: TextStyle): Promise<DrawnText> {
  const { size, maxWidth } = style
  if (drawn.height < 1.5 * size) return drawn
  let best = drawn
  let [narrow, wide] = [maxWidth * LEAST_BALANCED_SHARE, maxWidth]
  for (let step = 0; step < BALANCE_STEPS; step++) {
    const middle = Math.round((narrow + wide) / 2)
    const tried = await drawText(text, { ...style, maxWidth: middle, wrap: 'word' })
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

// More does not fit in the line of a name.
const MAX_NAME_CHARACTERS = 60
// As in the pages, of the size of the letters.
const WIDER_SPACE = 0.08
// Of the size of the letters. Two lines are higher.
const MAX_LINE_HEIGHT = 1.6

/**
 * A name or a date, shortened to one line. Undefined for a text without glyphs, or whose first grapheme does not fit.
 */
export async function drawName(text: string, style: TextStyle): Promise<DrawnText | undefined> {
  const whole = graphemesOf(await drawable(text.slice(0, 4 * MAX_NAME_CHARACTERS)))
  if (whole.length === 0) return undefined
  let count = Math.min(whole.length, MAX_NAME_CHARACTERS)
  for (;;) {
    const shown = whole.slice(0, count).join('')
    const drawn = await drawText(count < whole.length ? shortened(shown) : shown, style)
    if (drawn.height <= MAX_LINE_HEIGHT * style.size && drawn.width <= style.maxWidth) return drawn
    if (count === 1) return undefined
    count = Math.floor(count * 0.8)
  }
}

/** Lays out a text with Pango, which shapes letters and orders them by direction. Lines are wrapped at `maxWidth`. */
async function drawText(text: string, style: TextStyle): Promise<DrawnText> {
  const sharp = await loadSharp()
  const { data, info } = await sharp({
    text: {
      text: markupOf(text, style),
      font: `${familiesFor(text, style)} ${style.isBold ? 'Bold ' : ''}${style.size}`,
      // One point is one pixel.
      dpi: 72,
      width: style.maxWidth,
      wrap: style.wrap ?? 'word-char',
      align: style.isCentred ? 'centre' : 'left',
      rgba: true,
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { image: data, width: info.width, height: info.height }
}

/** Spaces and punctuation are drawn with the first family: for scripts from right to left, with that of the letters. */
function familiesFor(text: string, { font }: TextStyle): string {
  return isRightToLeft(text) ? FALLBACK_FAMILIES : FONT_FAMILIES[font]
}

function markupOf(text: string, { font, size, colour, marks }: TextStyle): string {
  // Instrument Sans has narrow spaces. Pango counts letter spacing in 1024ths of a point.
  const space = font === 'sans' ? `<span letter_spacing="${Math.round(WIDER_SPACE * size * 1024)}"> </span>` : ' '
  const part = (shown: string, foreground: string) =>
    shown && `<span foreground="${foreground}">${escapeMarkup(shown).replaceAll(' ', space)}</span>`
  return marks
    ? part(marks.before, marks.colour) + part(text, colour) + part(marks.after, marks.colour)
    : part(text, colour)
}

function escapeMarkup(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Whether the first letter with a direction is one of a script that runs from right to left (UAX 9, rules P2 and P3).
 */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = /\p{L}/u.exec(text) ?? []
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(letter)
}
