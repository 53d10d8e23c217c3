import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from '../picture-store.ts'
import type { CardFont } from './facts.ts'
import { coverageOf, openTypeOf } from './woff.ts'

/** DejaVu Sans has letters that the others lack, such as Hebrew and Arabic ones. Noto Emoji is a font of outlines. */
export const FALLBACK_FAMILIES = 'DejaVu Sans, Noto Emoji'
/** The families of each font, as Pango names them. */
export const FONT_FAMILIES: Record<CardFont, string> = {
  sans: 'Instrument Sans, Noto Emoji, DejaVu Sans',
  serif: 'Source Serif 4, Noto Emoji, DejaVu Sans',
  mono: 'JetBrains Mono, Noto Emoji, DejaVu Sans',
}
// Each name is a literal, so that the bundler and other tools see the packages.
const PACKAGES = {
  'instrument-sans': import.meta.resolve('@fontsource/instrument-sans/package.json'),
  'source-serif-4': import.meta.resolve('@fontsource/source-serif-4/package.json'),
  'jetbrains-mono': import.meta.resolve('@fontsource/jetbrains-mono/package.json'),
  'noto-emoji': import.meta.resolve('@fontsource/noto-emoji/package.json'),
  'dejavu-sans': import.meta.resolve('@fontsource/dejavu-sans/package.json'),
}
const EUROPEAN = ['latin', 'latin-ext', 'cyrillic', 'greek']
const FILES = [
  ...fontFiles('instrument-sans', ['latin', 'latin-ext'], [400, 700]),
  ...fontFiles('source-serif-4', EUROPEAN, [400, 700]),
  ...fontFiles('jetbrains-mono', EUROPEAN, [400, 700]),
  ...fontFiles('noto-emoji', ['emoji'], [400, 700]),
  ...fontFiles('dejavu-sans', ['latin'], [400, 700]),
]
/**
 * The configuration of fontconfig, which makes the fonts of the system invisible: every machine draws the same card.
 */
export const FONT_CONFIGURATION = 'fonts.conf'

/** Writes the fonts to a folder, in the format that Pango reads, with the configuration that names the folder. */
export async function installFonts(folder: string): Promise<void> {
  for (const { name, url } of FILES) {
    const font = openTypeOf(await readFile(url))
    // A file of another version, or one that a power cut has damaged, is replaced.
    const stored = await readFile(join(folder, name)).catch(() => undefined)
    if (!stored?.equals(font)) await writeWhole(folder, name, font)
  }
  const [fonts, cache] = [folder, join(folder, 'cache')].map(inXml)
  await writeWhole(
    folder,
    FONT_CONFIGURATION,
    `<?xml version="1.0"?>\n<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>\n`,
  )
}

let covered: Promise<[from: number, to: number][]> | undefined

/**
 * Removes the characters for which no font has a glyph, such as Chinese characters, and the end of a grapheme with very
 * many code points: no line break is possible within a grapheme, so that it would be larger than the card.
 */
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
  const known = [...text.normalize('NFC').replace(KEYCAP, '')].filter(
    (character) => INVISIBLE.test(character) || isCovered(character),
  )
  const shown = graphemesOf(known.join('')).map(limited).join('').replace(/\s+/g, ' ').trim()
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(shown) ? shown : ''
}

/** A joiner at the end would join the next grapheme. */
function limited(grapheme: string): string {
  const points = [...grapheme]
  return points.length > MAX_GRAPHEME_CODE_POINTS
    ? points
        .slice(0, MAX_GRAPHEME_CODE_POINTS)
        .join('')
        .replace(/\u200d$/, '')
    : grapheme
}

const SPACE = 0x20
// A family of four people, each with a skin tone, has eleven.
const MAX_GRAPHEME_CODE_POINTS = 12
// The box around a digit. The digit is of another font, so that the box would stand beside it.
const KEYCAP = /\ufe0f?\u20e3/g
// The joiners of Arabic, and the marks of direction.
const INVISIBLE = /^[\u200c-\u200f]$/

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The characters as readers count them (UAX 29). */
export function graphemesOf(text: string): string[] {
  return Array.from(characters.segment(text), ({ segment }) => segment)
}

function fontFiles(font: keyof typeof PACKAGES, subsets: string[], weights: number[]): { name: string; url: URL }[] {
  return subsets.flatMap((subset) =>
    weights.map((weight) => {
      const name = `${font}-${subset}-${weight}-normal`
      return { name: `${name}.ttf`, url: new URL(`files/${name}.woff`, PACKAGES[font]) }
    }),
  )
}

function inXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
}
