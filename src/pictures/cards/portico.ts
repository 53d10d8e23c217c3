import type { ShownCard } from './facts.ts'
import { atStart, footOf, HEIGHT, LINE_WIDTH, MARGIN, WIDTH } from './layout.ts'
import { rectangle, type Shape } from './shapes.ts'
import { drawName, drawTitle } from './text.ts'

const BAR_HEIGHT = 18
const NAME_TOP = 84
const TITLE_TOP = 178
const MAX_TITLE_HEIGHT = 264
const TITLE_SIZES = [92, 80, 70, 60, 52]
const COLUMNS_TOP = 500

/** The look "portico": a bar in the accent, the title in bold letters, and the columns of a portico at the end. */
export async function porticoCard(card: ShownCard): Promise<Shape[]> {
  const { font, colours } = card
  const style = { font, isBold: true, maxWidth: LINE_WIDTH }
  const name = await drawName(card.name, { ...style, size: 34, colour: colours.accent })
  const heading = await drawTitle(card.title, { ...style, colour: colours.ink }, TITLE_SIZES, MAX_TITLE_HEIGHT)
  return [
    ...columns(card),
    rectangle(0, 0, WIDTH, BAR_HEIGHT, colours.accent),
    ...atStart(card, name, NAME_TOP),
    ...atStart(card, heading, TITLE_TOP + (MAX_TITLE_HEIGHT - heading.height) / 2),
    ...(await footOf(card, font, 'circle')),
  ]
}

/** The columns behind the start of the home page. */
function columns({ isRtl, colours }: ShownCard): Shape[] {
  const [count, width, gap] = [4, 34, 40]
  return Array.from({ length: count }, (_, index) => {
    const fromEdge = MARGIN + index * (width + gap)
    const left = isRtl ? fromEdge : WIDTH - fromEdge - width
    return rectangle(left, COLUMNS_TOP, width, HEIGHT - COLUMNS_TOP, colours['accent-tint'])
  })
}
