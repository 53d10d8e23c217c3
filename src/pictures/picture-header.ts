import { readAvifHeader } from './avif-header.ts'
import { readJpegHeader } from './jpeg-header.ts'
import type { PictureHeader } from './picture-facts.ts'
import { readSvgHeader } from './svg-header.ts'

/**
 * Reads the header of a picture, whatever its name says. Undefined if the format is unknown or the bytes end too early.
 * Every read is checked against the length of the bytes, and every loop advances, so the time is linear in their
 * number.
 */
export function readPictureHeader(bytes: Buffer): PictureHeader | undefined {
  try {
    const header = READERS.find(({ isMine }) => isMine(bytes))?.read(bytes)
    return header && header.width > 0 && header.height > 0 ? header : undefined
  } catch (error) {
    // A read beyond the end of the bytes.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const startsWith = (start: string, at = 0) => {
  const expected = Buffer.from(start, 'latin1')
  return (bytes: Buffer) => bytes.subarray(at, at + expected.length).equals(expected)
}

const READERS: { isMine(bytes: Buffer): boolean; read(bytes: Buffer): PictureHeader | undefined }[] = [
  { isMine: startsWith('\x89PNG\r\n\x1a\n'), read: readPngHeader },
  { isMine: startsWith('\xff\xd8\xff'), read: readJpegHeader },
  { isMine: startsWith('GIF8'), read: readGifHeader },
  { isMine: startsWith('WEBP', 8), read: readWebpHeader },
  { isMine: startsWith('ftyp', 4), read: readAvifHeader },
  { isMine: startsWith('\0\0\x01\0'), read: readIcoHeader },
  { isMine: (bytes) => /^[\ufeff\s]*</.test(bytes.toString('utf8', 0, 64)), read: readSvgHeader },
]

/** PNG, section 11.2.1. The chunk `acTL` before the first `IDAT` makes an animation (section 11.3.6.1). */
function readPngHeader(bytes: Buffer): PictureHeader {
  let isAnimated = false
  for (let at = 8; at + 8 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const name = bytes.toString('latin1', at + 4, at + 8)
    isAnimated ||= name === 'acTL'
    if (name === 'acTL' || name === 'IDAT') break
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), isAnimated }
}

/** The number of frames of a GIF is known at its end only, so each may be animated. */
function readGifHeader(bytes: Buffer): PictureHeader {
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), isAnimated: true }
}

/** RFC 9649, sections 2.5 to 2.7, and RFC 6386, section 9.1. */
function readWebpHeader(bytes: Buffer): PictureHeader | undefined {
  const ANIMATION_FLAG = 2
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return {
        width: bytes.readUIntLE(24, 3) + 1,
        height: bytes.readUIntLE(27, 3) + 1,
        isAnimated: (bytes.readUInt8(20) & ANIMATION_FLAG) !== 0,
      }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, isAnimated: false }
    }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff, isAnimated: false }
    default:
      return undefined
  }
}

/** The first icon of the file. A side of 0 is one of 256 pixels. */
function readIcoHeader(bytes: Buffer): PictureHeader {
  return { width: bytes.readUInt8(6) || 256, height: bytes.readUInt8(7) || 256, isAnimated: false }
}
