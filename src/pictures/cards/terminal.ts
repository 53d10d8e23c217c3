import type { ShownCard } from './facts.ts'
import { atStart, footOf, LINE_WIDTH_PX, MARGIN_PX } from './layout.ts'
import { rectangle, type Shape } from './shapes.ts'
import { drawName, drawTitle } from './text.ts'

const NAME_TOP_PX = 78
const RULE_TOPS_PX = [142, 466]
const TITLE_TOP_PX = 178
const MAX_TITLE_HEIGHT_PX = 252
const TITLE_SIZES_PX = [76, 66, 58, 50, 44]
// Of a dash, and of the space after it. A line begins and ends with a dash.
const DASH_WIDTH_PX = 16

/** The look "terminal": the site as a path, the title with the mark of markdown and a cursor, and dashed lines. */
export async function terminalCard(card: ShownCard): Promise<Shape[]> {
  const { font, colours } = card
  const style = { font, isBold: true, colour: colours.ink, maxWidth: LINE_WIDTH_PX }
  const path = { before: '~/', after: '', colour: colours.accent }
  const name = await drawName(card.name, { ...style, size: 32, marks: path })
  const marks = { before: '#\u00a0', after: '\u00a0█', colour: colours.accent }
  const heading = await drawTitle(card.title, { ...style, marks }, TITLE_SIZES_PX, MAX_TITLE_HEIGHT_PX)
  return [
    ...atStart(card, name, NAME_TOP_PX),
    ...RULE_TOPS_PX.flatMap((top) => dashedRule(top, colours.edge)),
    ...atStart(card, heading, TITLE_TOP_PX + (MAX_TITLE_HEIGHT_PX - heading.height) / 2),
    ...(await footOf(card, font, 'grey square')),
  ]
}

function dashedRule(top: number, colour: string): Shape[] {
  const count = Math.ceil(LINE_WIDTH_PX / (2 * DASH_WIDTH_PX))
  return Array.from({ length: count }, (_, index) =>
    rectangle(MARGIN_PX + index * 2 * DASH_WIDTH_PX, top, DASH_WIDTH_PX, 2, colour),
  )
}
