import type { ShownCard } from './facts.ts'
import { FOOT_MIDDLE, LINE_WIDTH, MARGIN, WIDTH } from './layout.ts'
import { PORTRAIT_SIDE, portraitOf, rectangle, type Shape } from './shapes.ts'
import { type DrawnText, drawName, drawTitle } from './text.ts'

const NAME_MIDDLE = 92
const HEAD_RULE_TOP = 142
const FOOT_RULE_TOP = 462
const TITLE_SIZES = [92, 80, 70, 60, 52]
const MAX_TITLE_HEIGHT = 264
const FOOT_GAP = 22

/** The look "journal": the title of the site as a masthead, all lines centred, and thin rules between them. */
export async function journalCard(card: ShownCard): Promise<Shape[]> {
  const { font, colours } = card
  const style = { font, isBold: false, maxWidth: LINE_WIDTH, isCentred: true }
  const name = await drawName(card.name, { ...style, size: 46, colour: colours.accent })
  const heading = await drawTitle(card.title, { ...style, colour: colours.ink }, TITLE_SIZES, MAX_TITLE_HEIGHT)
  const titleMiddle = (HEAD_RULE_TOP + FOOT_RULE_TOP) / 2
  return [
    ...centred(name ? [name] : [], NAME_MIDDLE),
    ...doubleRule(HEAD_RULE_TOP, colours.edge),
    ...centred([heading], titleMiddle),
    rectangle(MARGIN, FOOT_RULE_TOP, LINE_WIDTH, 2, colours.edge),
    ...centred(await footOf(card), FOOT_MIDDLE),
  ]
}

/** The portrait, the author and the date, in the order of the direction of the title. */
async function footOf({ author, date, portrait, colours, isRtl }: ShownCard): Promise<DrawnText[]> {
  const style = { font: 'sans', isBold: false, size: 32, maxWidth: LINE_WIDTH / 2 - PORTRAIT_SIDE } as const
  const image = await portraitOf(portrait, 'circle')
  const parts = [
    image && { image, width: PORTRAIT_SIDE, height: PORTRAIT_SIDE },
    await drawName(author, { ...style, isBold: true, colour: colours.ink }),
    author && date ? await drawName('·', { ...style, colour: colours.soft }) : undefined,
    await drawName(date, { ...style, colour: colours.soft }),
  ].filter((part) => part !== undefined)
  return isRtl ? parts.reverse() : parts
}

/** Texts beside each other, in the middle of the card. */
function centred(parts: DrawnText[], middle: number): Shape[] {
  const width = parts.reduce((sum, part) => sum + part.width, FOOT_GAP * (parts.length - 1))
  let left = Math.round((WIDTH - width) / 2)
  return parts.map(({ image, width, height }) => {
    const shape = { input: image, left, top: Math.round(middle - height / 2) }
    left += width + FOOT_GAP
    return shape
  })
}

function doubleRule(top: number, colour: string): Shape[] {
  return [rectangle(MARGIN, top, LINE_WIDTH, 2, colour), rectangle(MARGIN, top + 6, LINE_WIDTH, 2, colour)]
}
