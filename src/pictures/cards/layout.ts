import { CARD_SIZE, type CardFont, type ShownCard } from './facts.ts'
import { PORTRAIT_SIDE_PX, portraitOf, type Shape } from './shapes.ts'
import { type DrawnText, drawName } from './text.ts'

export const { width: WIDTH_PX, height: HEIGHT_PX } = CARD_SIZE
export const MARGIN_PX = 80
export const LINE_WIDTH_PX = WIDTH_PX - 2 * MARGIN_PX
const PORTRAIT_GAP_PX = 24
/** Of the last line. */
export const FOOT_MIDDLE_PX = 536

/** A text at the start of a line: at the left, or at the right of a card that runs from right to left. */
export function atStart({ isRtl }: ShownCard, drawn: DrawnText | undefined, top: number, inset = 0): Shape[] {
  if (!drawn) return []
  const left = isRtl ? WIDTH_PX - MARGIN_PX - inset - drawn.width : MARGIN_PX + inset
  return [{ input: drawn.image, left, top: Math.round(top) }]
}

/** The portrait at the start of the last line, and beside it the author above the date. */
export async function footOf(
  card: ShownCard,
  font: CardFont,
  portraitStyle: Parameters<typeof portraitOf>[1],
): Promise<Shape[]> {
  const { ink, soft } = card.colours
  const maxWidth = LINE_WIDTH_PX - PORTRAIT_SIDE_PX
  const author = await drawName(card.author, { font, isBold: true, size: 32, colour: ink, maxWidth })
  const date = await drawName(card.date, { font, isBold: false, size: 28, colour: soft, maxWidth })
  const portrait = await portraitOf(card.portrait, portraitStyle)
  const inset = portrait ? PORTRAIT_SIDE_PX + PORTRAIT_GAP_PX : 0
  const [authorMiddle, dateMiddle] =
    author && date ? [FOOT_MIDDLE_PX - 21, FOOT_MIDDLE_PX + 23] : [FOOT_MIDDLE_PX, FOOT_MIDDLE_PX]
  const square = portrait && { image: portrait, width: PORTRAIT_SIDE_PX, height: PORTRAIT_SIDE_PX }
  return [
    ...atStart(card, square, FOOT_MIDDLE_PX - PORTRAIT_SIDE_PX / 2),
    ...atStart(card, author, authorMiddle - (author?.height ?? 0) / 2, inset),
    ...atStart(card, date, dateMiddle - (date?.height ?? 0) / 2, inset),
  ]
}
