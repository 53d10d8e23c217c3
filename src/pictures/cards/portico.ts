import type { ShownCard } from './facts.ts'
import { atStart, footOf, HEIGHT_PX, LINE_WIDTH_PX, MARGIN_PX, WIDTH_PX } from './layout.ts'
import { rectangle, type Shape } from './shapes.ts'
import { drawName, drawTitle } from './text.ts'

const BAR_HEIGHT_PX = 18
const NAME_TOP_PX = 84
const TITLE_TOP_PX = 178
const MAX_TITLE_HEIGHT_PX = 264
const TITLE_SIZES_PX = [92, 80, 70, 60, 52]
const COLUMNS_TOP_PX = 500

/** The look "portico": a bar in the accent, the title in bold letters, and the columns of a portico at the end. */
export async function porticoCard(card: ShownCard): Promise<Shape[]> {
  const { font, colours } = card
  const style = { font, isBold: true, maxWidth: LINE_WIDTH_PX }
  const name = await drawName(card.name, { ...style, size: 34, colour: colours.accent })
  const heading = await drawTitle(card.title, { ...style, colour: colours.ink }, TITLE_SIZES_PX, MAX_TITLE_HEIGHT_PX)
  return [
    ...columns(card),
    rectangle(0, 0, WIDTH_PX, BAR_HEIGHT_PX, colours.accent),
    ...atStart(card, name, NAME_TOP_PX),
    ...atStart(card, heading, TITLE_TOP_PX + (MAX_TITLE_HEIGHT_PX - heading.height) / 2),
    ...(await footOf(card, font, 'circle')),
  ]
}

/** The columns behind the start of the home page. */
function columns({ isRtl, colours }: ShownCard): Shape[] {
  const [count, width, gap] = [4, 34, 40]
  return Array.from({ length: count }, (_, index) => {
    const fromEdge = MARGIN_PX + index * (width + gap)
    const left = isRtl ? fromEdge : WIDTH_PX - fromEdge - width
    return rectangle(left, COLUMNS_TOP_PX, width, HEIGHT_PX - COLUMNS_TOP_PX, colours['accent-tint'])
  })
}
