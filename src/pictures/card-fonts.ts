import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from './picture-store.ts'
import { coverageOf, openTypeOf } from './woff.ts'

/** The font of the pages, and DejaVu Sans for letters that it lacks, such as Greek, Cyrillic, Hebrew and Arabic. */
export const CARD_FONTS = 'Instrument Sans, DejaVu Sans'
const INSTRUMENT_SANS = import.meta.resolve('@fontsource/instrument-sans/package.json')
const DEJAVU_SANS = import.meta.resolve('@fontsource/dejavu-sans/package.json')
const FILES = [
  ...['latin-400', 'latin-700', 'latin-ext-400', 'latin-ext-700'].map((name) =>
    fontFile(INSTRUMENT_SANS, 'instrument-sans', name),
  ),
  ...['latin-400', 'latin-700'].map((name) => fontFile(DEJAVU_SANS, 'dejavu-sans', name)),
]
/** The configuration of fontconfig, which makes the fonts of the system invisible: every machine draws the same card. */
export const FONT_CONFIGURATION = 'fonts.conf'

/** Writes the fonts to a folder, in the format that Pango reads, with the configuration that names the folder. */
export async function installFonts(folder: string): Promise<void> {
  for (const { name, url } of FILES) {
    const isThere = await access(join(folder, name)).then(
      () => true,
      () => false,
    )
    if (!isThere) await writeWhole(folder, name, openTypeOf(await readFile(url)))
  }
  const [fonts, cache] = [folder, join(folder, 'cache')].map(inXml)
  await writeWhole(
    folder,
    FONT_CONFIGURATION,
    `<?xml version="1.0"?>\n<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>\n`,
  )
}

let covered: Promise<[from: number, to: number][]> | undefined

/** Removes the characters for which no font has a glyph, such as emoji and Chinese characters. */
export async function drawable(text: string): Promise<string> {
  covered ??= Promise.all(FILES.map(async ({ url }) => coverageOf(openTypeOf(await readFile(url))))).then((all) =>
    all.flat(),
  )
  const ranges = await covered
  const isCovered = (character: string) => {
    const point = character.codePointAt(0) ?? 0
    return point >= SPACE && ranges.some(([from, to]) => point >= from && point <= to)
  }
  // Variation selectors and joiners have glyphs in some fonts, and mean nothing without the character before them.
  const known = [...text.normalize('NFC')].filter((character) => INVISIBLE.test(character) || isCovered(character))
  const shown = known.join('').replace(/\s+/g, ' ').trim()
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(shown) ? shown : ''
}

const SPACE = 0x20
// The joiners of Arabic, and the marks of direction.
const INVISIBLE = /^[\u200c-\u200f]$/

function fontFile(metadata: string, font: string, subset: string): { name: string; url: URL } {
  const name = `${font}-${subset}-normal`
  return { name: `${name}.ttf`, url: new URL(`files/${name}.woff`, metadata) }
}

function inXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
