import { CARD_SIZE, type CardFont, type ShownCard } from './facts.ts'
import { PORTRAIT_SIDE, portraitOf, type Shape } from './shapes.ts'
import { type DrawnText, drawName } from './text.ts'

export const { width: WIDTH, height: HEIGHT } = CARD_SIZE
export const MARGIN = 80
export const LINE_WIDTH = WIDTH - 2 * MARGIN
const PORTRAIT_GAP = 24
/** Of the last line. */
export const FOOT_MIDDLE = 536

/** A text at the start of a line: at the left, or at the right of a card that runs from right to left. */
export function atStart({ isRtl }: ShownCard, drawn: DrawnText | undefined, top: number, inset = 0): Shape[] {
  if (!drawn) return []
  const left = isRtl ? WIDTH - MARGIN - inset - drawn.width : MARGIN + inset
  return [{ input: drawn.image, left, top: Math.round(top) }]
}

/** The portrait at the start of the last line, and beside it the author above the date. */
export async function footOf(
  card: ShownCard,
  font: CardFont,
  portraitForm: Parameters<typeof portraitOf>[1],
): Promise<Shape[]> {
  const { ink, soft } = card.colours
  const maxWidth = LINE_WIDTH - PORTRAIT_SIDE
  const author = await drawName(card.author, { font, isBold: true, size: 32, colour: ink, maxWidth })
  const date = await drawName(card.date, { font, isBold: false, size: 28, colour: soft, maxWidth })
  const portrait = await portraitOf(card.portrait, portraitForm)
  const inset = portrait ? PORTRAIT_SIDE + PORTRAIT_GAP : 0
  const [authorMiddle, dateMiddle] = author && date ? [FOOT_MIDDLE - 21, FOOT_MIDDLE + 23] : [FOOT_MIDDLE, FOOT_MIDDLE]
  const square = portrait && { image: portrait, width: PORTRAIT_SIDE, height: PORTRAIT_SIDE }
  return [
    ...atStart(card, square, FOOT_MIDDLE - PORTRAIT_SIDE / 2),
    ...atStart(card, author, authorMiddle - (author?.height ?? 0) / 2, inset),
    ...atStart(card, date, dateMiddle - (date?.height ?? 0) / 2, inset),
  ]
}
