import type { ShownCard } from './facts.ts'
import { FOOT_MIDDLE_PX, LINE_WIDTH_PX, MARGIN_PX, WIDTH_PX } from './layout.ts'
import { PORTRAIT_SIDE_PX, portraitOf, rectangle, type Shape } from './shapes.ts'
import { type DrawnText, drawName, drawTitle } from './text.ts'

const NAME_MIDDLE_PX = 92
const HEAD_RULE_TOP_PX = 142
const FOOT_RULE_TOP_PX = 462
const TITLE_SIZES_PX = [92, 80, 70, 60, 52]
const MAX_TITLE_HEIGHT_PX = 264
const FOOT_GAP_PX = 22

/** The look "journal": the title of the site as a masthead, all lines centred, and thin rules between them. */
export async function journalCard(card: ShownCard): Promise<Shape[]> {
  const { font, colours } = card
  const style = { font, isBold: false, maxWidth: LINE_WIDTH_PX, isCentred: true }
  const name = await drawName(card.name, { ...style, size: 46, colour: colours.accent })
  const heading = await drawTitle(card.title, { ...style, colour: colours.ink }, TITLE_SIZES_PX, MAX_TITLE_HEIGHT_PX)
  const titleMiddle = (HEAD_RULE_TOP_PX + FOOT_RULE_TOP_PX) / 2
  return [
    ...centred(name ? [name] : [], NAME_MIDDLE_PX),
    ...doubleRule(HEAD_RULE_TOP_PX, colours.edge),
    ...centred([heading], titleMiddle),
    rectangle(MARGIN_PX, FOOT_RULE_TOP_PX, LINE_WIDTH_PX, 2, colours.edge),
    ...centred(await footOf(card), FOOT_MIDDLE_PX),
  ]
}

/** The portrait, the author and the date, in the order of the direction of the title. */
async function footOf({ author, date, portrait, colours, isRtl }: ShownCard): Promise<DrawnText[]> {
  const style = { font: 'sans', isBold: false, size: 32, maxWidth: LINE_WIDTH_PX / 2 - PORTRAIT_SIDE_PX } as const
  const image = await portraitOf(portrait, 'circle')
  const parts = [
    image && { image, width: PORTRAIT_SIDE_PX, height: PORTRAIT_SIDE_PX },
    await drawName(author, { ...style, isBold: true, colour: colours.ink }),
    author && date ? await drawName('·', { ...style, colour: colours.soft }) : undefined,
    await drawName(date, { ...style, colour: colours.soft }),
  ].filter((part) => part !== undefined)
  return isRtl ? parts.reverse() : parts
}

/** Texts beside each other, in the middle of the card. */
function centred(parts: DrawnText[], middle: number): Shape[] {
  const width = parts.reduce((sum, part) => sum + part.width, FOOT_GAP_PX * (parts.length - 1))
  let left = Math.round((WIDTH_PX - width) / 2)
  return parts.map(({ image, width, height }) => {
    const shape = { input: image, left, top: Math.round(middle - height / 2) }
    left += width + FOOT_GAP_PX
    return shape
  })
}

function doubleRule(top: number, colour: string): Shape[] {
  return [rectangle(MARGIN_PX, top, LINE_WIDTH_PX, 2, colour), rectangle(MARGIN_PX, top + 6, LINE_WIDTH_PX, 2, colour)]
}
