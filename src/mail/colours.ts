import { accentColours } from '../lib/accent.ts'
import { boundedMemo } from '../lib/bounded-memo.ts'

/** The colours of a mail in one colour scheme, named as the tokens of the pages. */
export interface MailColours {
  ground: string
  surface: string
  sunken: string
  ink: string
  soft: string
  line: string
  edge: string
  accent: string
  'on-accent': string
  'accent-tint': string
}

/** The colours of the pages (tokens.css) that no setting changes. */
export const NEUTRAL_COLOURS = {
  light: {
    ground: '#fbfaf8',
    surface: '#ffffff',
    sunken: '#f3f1ed',
    ink: '#1b1c1e',
    soft: '#5c5d61',
    line: '#e5e2dc',
    edge: '#8a8780',
  },
  dark: {
    ground: '#121314',
    surface: '#1a1b1d',
    sunken: '#0c0d0e',
    ink: '#ebebe8',
    soft: '#a4a6aa',
    line: '#2b2d30',
    edge: '#74777c',
  },
}

export const mailColours = boundedMemo((accent): { light: MailColours; dark: MailColours } => {
  const { light, dark } = accentColours(accent)
  return { light: { ...NEUTRAL_COLOURS.light, ...light }, dark: { ...NEUTRAL_COLOURS.dark, ...dark } }
})
