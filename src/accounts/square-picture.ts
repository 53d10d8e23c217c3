import type { Sharp } from 'sharp'
import { createConcurrencyLimit } from '../http/concurrency-limit.ts'
import { invalid, type Refusal } from '../http/refusal.ts'
import { loadSharp } from '../pictures/load-sharp.ts'

const SIDE_PIXELS = 512
// As many pixels as the largest photographs of phones have. When decoded, they fit into the memory of a small machine.
const MAX_PIXELS = 50_000_000
// Baseline JPEG and non-interlaced PNG are scaled down while they are decoded. Other files are decoded completely
// first. That takes up to 60 ms of CPU per million pixels for AVIF and about 35 ms for the others: half a second at
// these limits.
const MAX_PIXELS_DECODED_WHOLE = 16_000_000
const MAX_AVIF_PIXELS = 8_000_000
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
    await admit(await megapixelsOf(open()))
    return open()
      .autoOrient()
      .resize(SIDE_PIXELS, SIDE_PIXELS, { fit: 'cover' })
      .webp({ quality: 82 })
      .timeout({ seconds: 10 })
      .toBuffer()
      .catch(throwRefusal)
  })
}

/** Reads only the header of the picture. */
async function megapixelsOf(picture: Sharp): Promise<number> {
  const { format, width, height, isProgressive } = await picture.metadata().catch(throwRefusal)
  const maxPixels = maxPixelsOf(format, isProgressive)
  if (width * height > maxPixels) throw tooManyPixels(maxPixels)
  return Math.ceil((width * height) / 1_000_000)
}

/** sharp reports the format of AVIF as its container, `heif`. */
function maxPixelsOf(format: string, isProgressive: boolean | undefined): number {
  if (format === 'heif') return MAX_AVIF_PIXELS
  return (format === 'png' || format === 'jpeg') && !isProgressive ? MAX_PIXELS : MAX_PIXELS_DECODED_WHOLE
}

function throwRefusal(error: unknown): never {
  const message = error instanceof Error ? error.message : ''
  if (/pixel limit/.test(message)) throw tooManyPixels(MAX_PIXELS)
  if (/timeout/.test(message))
    throw invalid('file', 'too_large', 'Picture took too long to draw: please choose a simpler one')
  throw invalid('file', 'invalid_format', 'File must be a picture: PNG, JPEG, WebP, AVIF or GIF')
}

function tooManyPixels(maxPixels: number): Refusal {
  return invalid('file', 'too_large', `Picture must have at most ${maxPixels / 1_000_000} million pixels`)
}
