/** What a social card shows. */
export interface CardFacts {
  title: string
  siteTitle: string
  author: string
  /** Such as "8 November 2026", or empty. */
  date: string
  /** Shown if the fonts have glyphs for neither title: the host of the site. */
  host: string
  colours: { accent: string; tint: string }
  /** The path of the portrait of the site, or empty. */
  portrait: string
}

// The size that social networks recommend for large cards.
export const CARD_SIZE = { width: 1200, height: 630 }
