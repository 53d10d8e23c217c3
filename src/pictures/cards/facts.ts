/** The content of a social card, and its look. */
export interface CardFacts {
  title: string
  siteTitle: string
  author: string
  /** Such as "8 November 2026", or empty. */
  date: string
  /** Shown if the fonts have glyphs for neither title: the host of the site. */
  host: string
  look: 'portico' | 'journal' | 'terminal'
  /** The font of the titles. */
  font: CardFont
  colours: CardColours
  /** The path of the portrait of the site, or empty. */
  portrait: string
}

/** The facts with the texts that the fonts can show. */
export interface ShownCard extends CardFacts {
  /** The line above the title. */
  name: string
  /** Whether the title runs from right to left. The whole card is mirrored then. */
  isRtl: boolean
}

export type CardFont = 'sans' | 'serif' | 'mono'

/** Tokens of the style sheet, as `#rrggbb`. */
interface CardColours {
  ground: string
  ink: string
  soft: string
  edge: string
  accent: string
  'accent-tint': string
}

// The size that social networks recommend for large cards.
export const CARD_SIZE = { width: 1200, height: 630 }
