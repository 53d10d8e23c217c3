import { randomFillSync } from 'node:crypto'
import sharp from 'sharp'

/** A PNG of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Pixels that compress like those of a photograph: noise at a low resolution, scaled up. */
export function photo(width: number, height: number) {
  const small = { width: Math.ceil(width / 8), height: Math.ceil(height / 8), channels: 3 } as const
  const noise = randomFillSync(Buffer.alloc(small.width * small.height * 3))
  return sharp(noise, { raw: small }).resize(width, height, { kernel: 'cubic' })
}

/** A JPEG that is stored lying on its side, with the place where it was taken. */
export function turnedPhoto(width: number, height: number): Promise<Buffer> {
  return photo(height, width)
    .jpeg({ quality: 95 })
    .withExif({
      IFD0: { Orientation: '6', Copyright: 'someone' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    })
    .withMetadata({ orientation: 6 })
    .toBuffer()
}

/** A chunk of a PNG. Its checksum is zero: readers of headers do not compute it. */
export function pngChunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(content.length)
  return Buffer.concat([size, Buffer.from(name, 'latin1'), content, Buffer.alloc(4)])
}
