import type { Metadata } from 'sharp'
import { createConcurrencyLimit } from '../http/concurrency-limit.ts'
import { invalid, type Refusal } from '../http/refusal.ts'
import { loadSharp } from '../pictures/load-sharp.ts'

const SIDE_PIXELS = 512
// As many pixels as the largest photographs of phones have.
const MAX_PIXELS = 50_000_000
// Baseline JPEG and non-interlaced PNG are scaled down while they are decoded. Other files are decoded completely
// first, which was measured to take up to 60 ms of CPU per million pixels for AVIF and about 35 ms for the others.
const MAX_AVIF_PIXELS = 8_000_000
const MAX_BYTES_DECODED_WHOLE = 64_000_000
// libvips was measured to keep up to 1,900 rows in memory while it makes a picture smaller: 120 MB at this limit.
const MAX_ROW_BYTES = 65_536
const limitConcurrency = createConcurrencyLimit({ maxConcurrent: 2, maxQueued: 32 })

/**
 * Converts a picture to a square WebP. The picture is decoded and encoded again, so no byte of the uploaded file
 * remains: no metadata, such as the place where it was taken, and no hidden content. `admit` is called with the size in
 * megapixels, rounded up, before the picture is decoded. `admit` throws, or rejects, to refuse the picture.
 */
export function squarePicture(file: Uint8Array, admit: (megapixels: number) => unknown): Promise<Uint8Array> {
  return limitConcurrency(async () => {
    // With the first picture, because most processes never receive one.
    const sharp = await loadSharp()
    const open = () => sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
    const header = await open().metadata().catch(throwRefusal)
    refuseLarge(header)
    await admit(Math.ceil((header.width * header.height) / 1_000_000))
    // Turned after it was made small, because a turn needs all pixels in memory. A square in the middle of the picture
    // has the same pixels either way. Raw pixels have no metadata, which nothing else bounds.
    const { data, info } = await open()
      .resize(SIDE_PIXELS, SIDE_PIXELS, { fit: 'cover' })
      .raw()
      .timeout({ seconds: 10 })
      .toBuffer({ resolveWithObject: true })
      .catch(throwRefusal)
    const { isMirrored, angle } = turnOf(header.orientation)
    return sharp(data, { raw: info }).flop(isMirrored).rotate(angle).webp({ quality: 82 }).toBuffer()
  })
}

/** How a picture with this value of the EXIF tag Orientation becomes upright: first mirrored, then turned clockwise. */
function turnOf(orientation = 1): { isMirrored: boolean; angle: number } {
  const angles = [0, 0, 180, 180, 270, 90, 90, 270]
  return { isMirrored: [2, 4, 5, 7].includes(orientation), angle: angles[orientation - 1] ?? 0 }
}

/** Refuses a picture by the size of its decoded pixels. */
function refuseLarge({ format, width, height, channels, depth, isProgressive }: Metadata): void {
  const bytesPerPixel = channels * (BYTES_PER_SAMPLE[depth] ?? MAX_BYTES_PER_SAMPLE)
  const maxPixels = maxPixelsOf(format, isProgressive, bytesPerPixel)
  if (width * height > maxPixels) throw tooManyPixels(maxPixels)
  const maxWidth = Math.floor(MAX_ROW_BYTES / bytesPerPixel)
  if (width > maxWidth) throw invalid('file', 'too_large', `Picture must be at most ${maxWidth} pixels wide`)
}

const BYTES_PER_SAMPLE: Record<string, number> = { uchar: 1, ushort: 2 }
const MAX_BYTES_PER_SAMPLE = 8

/** sharp reports the format of AVIF as its container, `heif`. */
function maxPixelsOf(format: string, isProgressive: boolean | undefined, bytesPerPixel: number): number {
  if (format === 'heif') return MAX_AVIF_PIXELS
  const isScaledWhileDecoded = (format === 'png' || format === 'jpeg') && !isProgressive
  return isScaledWhileDecoded ? MAX_PIXELS : MAX_BYTES_DECODED_WHOLE / Math.max(bytesPerPixel, 4)
}

function throwRefusal(error: unknown): never {
  const message = error instanceof Error ? error.message : ''
  if (/pixel limit/.test(message)) throw tooManyPixels(MAX_PIXELS)
  if (/timeout/.test(message))
    throw invalid('file', 'too_large', 'Picture took too long to draw: please choose a simpler one')
  throw invalid('file', 'invalid_format', 'File must be a picture: PNG, JPEG, WebP, AVIF or GIF')
}

function tooManyPixels(maxPixels: number): Refusal {
  return invalid('file', 'too_large', `Picture must have at most ${Math.floor(maxPixels / 1_000_000)} million pixels`)
}
