import type { PictureHeader } from './picture-facts.ts'

// CSS Values 4, section 6.2.
const PIXELS_PER_UNIT: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 9.6 / 2.54,
}
// A drawing without a size fills the line of text.
const LINE_PIXELS = 672
const MAX_SIDE_PIXELS = 100_000
// CSS 2.2, section 10.3.2: the size of a replaced element that has none.
const DEFAULT_SIZE = { width: 300, height: 150 }

/** The size of an SVG, from the attributes of its root element. Nothing is expanded, and nothing is loaded. */
export function readSvgHeader(bytes: Buffer): PictureHeader | undefined {
  const attributes = rootAttributes(bytes.toString('utf8'))
  if (attributes === undefined) return undefined
  const [width, height] = [lengthOf(attributes, 'width'), lengthOf(attributes, 'height')]
  const [, , boxWidth = 0, boxHeight = 0] = (attributeOf(attributes, 'viewBox') ?? '').split(/[\s,]+/).map(Number)
  const ratio = boxWidth > 0 && boxHeight > 0 ? boxHeight / boxWidth : undefined
  const size = sizeOf(width, height, ratio)
  const isValid = Object.values(size).every((side) => side >= 1 && side <= MAX_SIDE_PIXELS)
  return { ...(isValid ? size : DEFAULT_SIZE), isAnimated: false }
}

function sizeOf(width: number | undefined, height: number | undefined, ratio: number | undefined) {
  if (width && height) return rounded(width, height)
  if (!ratio) return DEFAULT_SIZE
  if (height) return rounded(height / ratio, height)
  const shown = width ?? LINE_PIXELS
  return rounded(shown, shown * ratio)
}

function rounded(width: number, height: number) {
  return { width: Math.round(width), height: Math.round(height) }
}

/** The text between `<svg` and `>`, after the prolog. Undefined if another element is the root. */
function rootAttributes(text: string): string | undefined {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    if (text.startsWith('<!--', at)) at = text.indexOf('-->', at)
    // The declarations inside of a document type end with `]>`.
    else if (text.startsWith('<!', at)) at = endOfDocumentType(text, at)
    else if (text.startsWith('<?', at)) at = text.indexOf('?>', at)
    else return /^<(?:\w+:)?svg(?=[\s/>])([^>]*)/.exec(text.slice(at))?.[1]
    if (at < 0) return undefined
  }
  return undefined
}

function endOfDocumentType(text: string, from: number): number {
  const end = text.indexOf('>', from)
  const list = text.slice(from, Math.max(from, end)).indexOf('[')
  return list >= 0 ? text.indexOf(']>', from + list) : end
}

const ATTRIBUTES = {
  width: /\swidth\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/,
  height: /\sheight\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/,
  viewBox: /\sviewBox\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/,
}

function attributeOf(attributes: string, name: keyof typeof ATTRIBUTES): string | undefined {
  const [, double, single] = ATTRIBUTES[name].exec(attributes) ?? []
  return double ?? single
}

/** In pixels. Undefined for a length that depends on the page, such as `100%`. */
function lengthOf(attributes: string, name: 'width' | 'height'): number | undefined {
  const [, number = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)([a-z%]*)\s*$/.exec(attributeOf(attributes, name) ?? '') ?? []
  const pixels = Number(number) * (PIXELS_PER_UNIT[unit] ?? 0)
  return pixels > 0 ? pixels : undefined
}
