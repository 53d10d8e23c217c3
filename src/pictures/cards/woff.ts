import { inflateSync } from 'node:zlib'

const HEADER_BYTES = 44
const ENTRY_BYTES = 20

/**
 * Converts a WOFF 1.0 file to the OpenType font in it (https://www.w3.org/TR/WOFF/). Pango, which draws the social
 * cards, does not use fonts in the format WOFF.
 */
export function openTypeOf(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('not a WOFF file')
  const count = woff.readUInt16BE(12)
  const tables = Array.from({ length: count }, (_, index) => {
    const entry = woff.subarray(HEADER_BYTES + ENTRY_BYTES * index, HEADER_BYTES + ENTRY_BYTES * (index + 1))
    const [offset, packed, length] = [entry.readUInt32BE(4), entry.readUInt32BE(8), entry.readUInt32BE(12)]
    const stored = woff.subarray(offset, offset + packed)
    const data = packed < length ? inflateSync(stored) : stored
    return { tag: entry.subarray(0, 4), checksum: entry.subarray(16, 20), data }
  })
  // OpenType 1.9, "Table Directory".
  const exponent = Math.floor(Math.log2(count))
  const directory = Buffer.alloc(12 + 16 * count)
  directory.writeUInt32BE(woff.readUInt32BE(4), 0)
  directory.writeUInt16BE(count, 4)
  directory.writeUInt16BE(16 * 2 ** exponent, 6)
  directory.writeUInt16BE(exponent, 8)
  directory.writeUInt16BE(16 * count - 16 * 2 ** exponent, 10)
  let offset = directory.length
  const parts: Buffer[] = [directory]
  tables.forEach(({ tag, checksum, data }, index) => {
    const at = 12 + 16 * index
    directory.set(tag, at)
    directory.set(checksum, at + 4)
    directory.writeUInt32BE(offset, at + 8)
    directory.writeUInt32BE(data.length, at + 12)
    const padding = Buffer.alloc((4 - (data.length % 4)) % 4)
    parts.push(data, padding)
    offset += data.length + padding.length
  })
  return Buffer.concat(parts)
}

/** The Unicode code points for which an OpenType font has a glyph, as ranges of its first `cmap` of format 12 or 4. */
export function coverageOf(font: Buffer): [from: number, to: number][] {
  const cmap = tableOf(font, 'cmap')
  const subtables = Array.from({ length: cmap.readUInt16BE(2) }, (_, index) =>
    cmap.subarray(cmap.readUInt32BE(4 + 8 * index + 4)),
  )
  const full = subtables.find((table) => table.readUInt16BE(0) === 12)
  if (full)
    return Array.from({ length: full.readUInt32BE(12) }, (_, index) => [
      full.readUInt32BE(16 + 12 * index),
      full.readUInt32BE(20 + 12 * index),
    ])
  const basic = subtables.find((table) => table.readUInt16BE(0) === 4)
  if (!basic) return []
  const bytes = basic.readUInt16BE(6)
  return Array.from({ length: bytes / 2 }, (_, index): [number, number] => [
    basic.readUInt16BE(16 + bytes + 2 * index),
    basic.readUInt16BE(14 + 2 * index),
  ])
}

function tableOf(font: Buffer, name: string): Buffer {
  for (let index = 0; index < font.readUInt16BE(4); index++) {
    const at = 12 + 16 * index
    if (font.toString('latin1', at, at + 4) !== name) continue
    const offset = font.readUInt32BE(at + 8)
    return font.subarray(offset, offset + font.readUInt32BE(at + 12))
  }
  throw new Error(`the font has no table ${name}`)
}
