import { loadSharp } from '../load-sharp.ts'
import { CARD_SIZE, type CardFacts, type ShownCard } from './facts.ts'
import { journalCard } from './journal.ts'
import { porticoCard } from './portico.ts'
import type { Shape } from './shapes.ts'
import { terminalCard } from './terminal.ts'
import { isRightToLeft, shownTexts } from './text.ts'

const LOOKS: Record<CardFacts['look'], (card: ShownCard) => Promise<Shape[]>> = {
  portico: porticoCard,
  journal: journalCard,
  terminal: terminalCard,
}

/** Draws the social card of a page as a PNG, in the look of the site. */
export async function drawCard(card: CardFacts): Promise<Buffer> {
  const sharp = await loadSharp()
  const texts = await shownTexts(card)
  const shapes = await LOOKS[card.look]({ ...card, ...texts, isRtl: isRightToLeft(texts.title) })
  return sharp({ create: { ...CARD_SIZE, channels: 3, background: card.colours.ground } })
    .composite(shapes)
    .png({ compressionLevel: 9, effort: 7 })
    .toBuffer()
}
