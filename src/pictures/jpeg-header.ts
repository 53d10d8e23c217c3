import type { PictureHeader } from './picture-facts.ts'

/** ITU T.81, annex B: segments until the frame header (SOF), which has the size. */
export function readJpegHeader(bytes: Buffer): PictureHeader | undefined {
  let isTurned = false
  for (let at = 2; at + 4 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    // Fill bytes before a marker (section B.1.1.2).
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at += 1
    const marker = bytes.readUInt8(at + 1)
    if (bytes.readUInt8(at) !== 0xff || marker === START_OF_SCAN || marker === END_OF_IMAGE) return undefined
    if (marker === APP1) isTurned ||= isTurnedByExif(bytes.subarray(at + 4, at + 2 + bytes.readUInt16BE(at + 2)))
    if (isFrame(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)]
      return isTurned ? { width: height, height: width, isAnimated: false } : { width, height, isAnimated: false }
    }
  }
  return undefined
}

const APP1 = 0xe1
const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9

/** SOF0 to SOF15, without the markers for tables between them: DHT, JPG and DAC. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

const EXIF = Buffer.from('Exif\0\0', 'latin1')
const ORIENTATION_TAG = 0x0112
const ENTRY_BYTES = 12

/** Whether the EXIF orientation exchanges width and height: values 5 to 8 (Exif 2.32, section 4.6.4). */
function isTurnedByExif(segment: Buffer): boolean {
  if (!segment.subarray(0, EXIF.length).equals(EXIF)) return false
  const tiff = segment.subarray(EXIF.length)
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const short = (at: number) => {
    if (at + 2 > tiff.length) return 0
    return isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)
  }
  if (tiff.length < 8) return false
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const entries = Math.min(short(start), Math.floor(tiff.length / ENTRY_BYTES))
  for (let entry = 0; entry < entries; entry++) {
    const at = start + 2 + entry * ENTRY_BYTES
    if (short(at) === ORIENTATION_TAG) return short(at + 8) >= 5 && short(at + 8) <= 8
  }
  return false
}
