import { createHash } from 'node:crypto'
import type { Library } from '../content/library.ts'
import type { Site } from '../content/site.ts'
import { accentColours } from '../lib/accent.ts'
import { longDate } from '../lib/dates.ts'
import type { Frame, PageContent } from '../pages/layout.ts'
import type { PlannedPage } from '../pages/site-pages.ts'
import { lookColours } from '../pages/styles.ts'
import { CARD_SIZE, type CardFacts, type CardFont } from '../pictures/cards/facts.ts'
import type { Pictures } from '../pictures/pictures.ts'
import { generatedImage } from './generated-images.ts'
import type { DiskFile } from './page-variants.ts'

export interface Cards {
  /** The social card of a page. */
  of(page: CardPage): NonNullable<PageContent['preview']>
  /** The card at a path. The path of an outdated card redirects to the current card of the page. */
  find(path: string): DiskFile | undefined
}

/** The properties of a page that its card shows. The card shows the site's title when the page has none. */
type CardPage = Pick<PlannedPage, 'path' | 'card'>

const CARDS_PATH = '/assets/cards'
// Part of the hash. Increment it when cards are drawn differently.
const CARD_VERSION = 5
const CARD_NAME = /^\/assets\/cards(\/[^?#]*)-([\w-]{16})\.png$/

/**
 * The social cards of all pages. A card is drawn when it is first requested. Its address has the hash of its content.
 */
export function cardsOf(
  { site, baseUrl }: Pick<Frame, 'site' | 'baseUrl'>,
  attachments: Library['attachments'],
  find: (path: string) => CardPage | undefined,
  pictures: Pictures,
): Cards {
  // Social networks do not say which scheme their readers use.
  const scheme = site.theme === 'dark' ? 'dark' : 'light'
  const { accent, 'accent-tint': accentTint } = accentColours(site.accent)[scheme]
  const portrait = attachments.get(site.portrait?.address ?? '')
  const common = {
    siteTitle: site.title,
    author: site.author,
    host: new URL(baseUrl).host,
    look: site.look,
    font: titleFont(site),
    colours: { ...lookColours(site.look)[scheme], accent, 'accent-tint': accentTint },
    portrait: portrait?.path ?? '',
  }
  const facts = ({ card }: CardPage): CardFacts => ({
    ...common,
    title: card?.title || site.title,
    date: card?.date ? longDate(card.date) : '',
  })
  const hashOf = (card: CardFacts) =>
    createHash('sha256')
      .update(JSON.stringify([CARD_VERSION, card, portrait?.modified]))
      .digest('base64url')
      .slice(0, 16)
  const pathOf = (page: CardPage) =>
    `${CARDS_PATH}${page.path === '/' ? '/index' : page.path}-${hashOf(facts(page))}.png`

  return {
    of: (page) => ({
      path: pathOf(page),
      ...CARD_SIZE,
      alt: altOf(page),
    }),
    find(path) {
      const [, name = '', hash = ''] = CARD_NAME.exec(path) ?? []
      const page = name ? find(name === '/index' ? '/' : name) : undefined
      if (!page) return undefined
      const card = facts(page)
      if (hash === hashOf(card))
        return generatedImage(`${hash}.png`, 'image/png', () => pictures.readCard(`${hash}.png`, card))
      return { send: async (_request, reply) => reply.header('cache-control', 'no-cache').redirect(pathOf(page), 307) }
    },
  }

  function altOf({ card }: CardPage): string {
    return card?.title && card.title !== site.title ? `${card.title} · ${site.title}` : site.title
  }
}

/** The font in which the style sheet of the look sets titles. */
function titleFont({ look, font }: Pick<Site, 'look' | 'font'>): CardFont {
  if (look === 'journal') return 'serif'
  return look === 'terminal' && font === 'sans' ? 'mono' : font
}
