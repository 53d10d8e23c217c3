import { readFile } from 'node:fs/promises'
import { type Asset, assetOf } from './assets.ts'

/** The font of the pages, Instrument Sans, in two files: browsers load the second one for letters that need it. */
export const FONTS = { latin: await fontFile('latin'), latinExtended: await fontFile('latin-ext') }

// The ranges are those of the two files (unicode.json of the package).
const FACES = [
  [
    FONTS.latin,
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  ],
  [
    FONTS.latinExtended,
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF',
  ],
] as const

/**
 * The font faces. Until the font is loaded, a local font is scaled to the same average width and line height, so that
 * the text does not move when the font arrives (CSS Fonts 5, section 2). The values follow from the tables `hhea` and
 * `hmtx` of both fonts, weighted by the frequency of letters in English.
 */
export const FONT_CSS = `${FACES.map(
  ([{ path }, range]) =>
    `@font-face{font-family:"Portico Sans";font-weight:400 700;font-display:swap;src:url(${path}) format("woff2");unicode-range:${range}}`,
).join('\n')}
@font-face{font-family:"Portico Sans Fallback";src:local("Arial"),local("Liberation Sans"),local("Arimo");size-adjust:103.2%;ascent-override:94%;descent-override:24.2%;line-gap-override:0%}
`

async function fontFile(subset: string): Promise<Asset<Buffer>> {
  const file = `instrument-sans-${subset}-wght-normal.woff2`
  const folder = new URL('files/', import.meta.resolve('@fontsource-variable/instrument-sans/package.json'))
  return assetOf(`instrument-sans-${subset}`, 'woff2', await readFile(new URL(file, folder)))
}
