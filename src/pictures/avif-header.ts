import type { PictureHeader } from './picture-facts.ts'

interface Box {
  name: string
  content: Buffer
}

/**
 * ISO/IEC 23008-12: the property `ispe` has the size of an item, and `irot` turns it. The largest item is the picture:
 * others are its tiles, its thumbnail and its transparency.
 */
export function readAvifHeader(bytes: Buffer): PictureHeader | undefined {
  const top = boxesIn(bytes)
  const brands = top[0]?.content.toString('latin1') ?? ''
  if (!/avi[fs]/.test(brands)) return undefined
  const properties = insideOf(insideOf(insideOf(top, 'meta', 4), 'iprp'), 'ipco')
  const sizes = properties
    .filter(({ name, content }) => name === 'ispe' && content.length >= 12)
    .map(({ content }) => ({ width: content.readUInt32BE(4), height: content.readUInt32BE(8) }))
  const [largest] = sizes.sort((a, b) => b.width * b.height - a.width * a.height)
  if (!largest) return undefined
  const isTurned = properties.some(
    ({ name, content }) => name === 'irot' && content.length > 0 && content.readUInt8(0) % 2 === 1,
  )
  const { width, height } = largest
  return { ...(isTurned ? { width: height, height: width } : { width, height }), isAnimated: brands.includes('avis') }
}

/** The boxes in the first box of this name. `skip` is the length of the fields before them. */
function insideOf(boxes: Box[], name: string, skip = 0): Box[] {
  return boxesIn(boxes.find((box) => box.name === name)?.content.subarray(skip) ?? Buffer.alloc(0))
}

// More than a picture of many tiles has.
const MAX_BOXES = 10_000

/** ISO/IEC 14496-12, section 4.2. A size of 1 announces a 64-bit size, which no header needs: the list ends there. */
function boxesIn(bytes: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at + 8 <= bytes.length && boxes.length < MAX_BOXES; ) {
    const size = bytes.readUInt32BE(at) || bytes.length - at
    if (size < 8) break
    boxes.push({ name: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + 8, at + size) })
    at += size
  }
  return boxes
}
