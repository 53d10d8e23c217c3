import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import { shortDigest } from '../lib/short-digest.ts'
import { loadSharp } from './load-sharp.ts'
import {
  PICTURE_FORMATS,
  type PictureFormat,
  type PictureProblem,
  type PictureSizes,
  pictureName,
} from './picture-facts.ts'
import type { PictureStore } from './picture-store.ts'

/**
 * The widths of a picture in pixels: for phones of one and of two pixels to a CSS pixel, and for the measure of a text
 * (672 CSS pixels) at two. No page shows a picture wider.
 */
const WIDTHS = [480, 800, 1344]
// Part of the key. Increment it when the way changes in which sizes are made: all are then made again.
const SIZES_VERSION = 1
// As many pixels as the largest photographs of phones have.
const MAX_PIXELS = 50_000_000
// Baseline JPEG and non-interlaced PNG are scaled down while they are decoded. Others are decoded whole, which takes up
// to 8 bytes of memory for each pixel.
const MAX_PIXELS_DECODED_WHOLE = 24_000_000
// The largest side in WebP (RFC 9649, section 3.4).
const MAX_SIDE_PIXELS = 16_383
// Smaller files gain nothing.
const MIN_SOURCE_BYTES = 8 * 1024

// A higher effort takes twice the time for files that are a tenth smaller. The colours of a JPEG mostly have half the
// resolution already. Letters on a screenshot need the whole one.
const ENCODERS: Record<PictureFormat, (picture: Sharp, isJpeg: boolean) => Sharp> = {
  avif: (picture, isJpeg) => picture.avif({ quality: 55, effort: 2, chromaSubsampling: isJpeg ? '4:2:0' : '4:4:4' }),
  webp: (picture) => picture.webp({ quality: 78 }),
}

/**
 * Makes the smaller sizes of a picture, in each format that is smaller than the file. They are turned upright by the
 * EXIF orientation and have no metadata, such as the place where the picture was taken. Sizes that the store has are
 * not made again.
 */
export async function makeSizes(path: string, store: PictureStore): Promise<PictureSizes | PictureProblem> {
  const bytes = await readFile(path)
  const sharp = await loadSharp()
  const open = () => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true })
  const facts = await open().metadata()
  const { width, height } = facts.autoOrient
  const maxPixels = maxPixelsOf(facts)
  if (width * height > maxPixels)
    return { problem: `has more than ${maxPixels / 1_000_000} million pixels: no smaller sizes of it are made` }
  const key = shortDigest(createHash('sha256').update(`${SIZES_VERSION} `).update(bytes))
  const sizes: PictureSizes = { key, width, height, avif: [], webp: [] }
  const widths = [...WIDTHS.filter((size) => size < width), Math.min(width, WIDTHS.at(-1) ?? 0)]
  const unique = [...new Set(widths)].sort((a, b) => b - a)
  const [largest = 0] = unique
  const isTooTall = (largest * height) / width > MAX_SIDE_PIXELS
  if (bytes.length < MIN_SOURCE_BYTES || isTooTall || (facts.pages ?? 1) > 1) return sizes
  const { data, info } = await open()
    .autoOrient()
    .resize(largest)
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const encode = (format: PictureFormat, size: number) =>
    ENCODERS[format](sharp(data, { raw }).resize(size), facts.format === 'jpeg').toBuffer()
  const raw = { width: info.width, height: info.height, channels: info.channels }
  for (const format of PICTURE_FORMATS) {
    for (const size of unique) {
      const name = pictureName(key, size, format)
      const known = await store.read(name)
      const made = known ?? (await encode(format, size))
      // Sizes are made from the largest down. If the largest is not smaller than the file, the format gets no sizes.
      if (made.length >= bytes.length) break
      if (!known) await store.write(name, made)
      sizes[format].unshift(size)
    }
  }
  return sizes
}

/** sharp reports the format of AVIF as its container, `heif`. */
function maxPixelsOf({ format, isProgressive }: { format: string; isProgressive?: boolean | undefined }): number {
  return (format === 'png' || format === 'jpeg') && !isProgressive ? MAX_PIXELS : MAX_PIXELS_DECODED_WHOLE
}
