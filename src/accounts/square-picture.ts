import type { Sharp } from 'sharp'
import { createConcurrencyLimit } from '../http/concurrency-limit.ts'
import { invalid, type Refusal } from '../http/refusal.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'

const SIDE = 512
// A phone's largest photograph, and no more: what unpacks to less fits into the memory of a small machine.
const MAX_PIXELS = 50_000_000
// Plain PNG and JPEG are made smaller while they are read. Other formats are decoded whole first, which takes up to 60 ms
// of CPU for a million pixels of AVIF, and about 35 ms for the others at their largest: half a second either way.
const MAX_PIXELS_DECODED_WHOLE = 16_000_000
const MAX_AVIF_PIXELS = 8_000_000
const inTurn = createConcurrencyLimit({ maxConcurrent: 2, maxQueued: 32 })

/**
 * Whatever picture comes in, a square WebP goes out: decoded and drawn anew, so that nothing of the file itself remains,
 * neither where it was taken nor what was hidden in it. `admit` is told the size in million pixels, rounded up, before
 * anything is decoded, and throws to refuse the picture.
 */
export function squarePicture(
  file: Uint8Array,
  admit: (megapixels: number) => MaybePromise<unknown>,
): Promise<Uint8Array> {
  return inTurn(async () => {
    const open = await decoder()
    await admit(await megapixelsOf(open(file)))
    return open(file)
      .autoOrient()
      .resize(SIDE, SIDE, { fit: 'cover' })
      .webp({ quality: 82 })
      .timeout({ seconds: 10 })
      .toBuffer()
      .catch(refuse)
  })
}

/** Reads the header of a picture only. */
async function megapixelsOf(picture: Sharp): Promise<number> {
  const { format, width, height, isProgressive } = await picture.metadata().catch(refuse)
  const most = mostPixelsOf(format, isProgressive)
  if (width * height > most) throw tooManyPixels(most)
  return Math.ceil((width * height) / 1_000_000)
}

/** The library calls AVIF by its container, HEIF. */
function mostPixelsOf(format: string, isProgressive: boolean | undefined): number {
  if (format === 'heif') return MAX_AVIF_PIXELS
  return (format === 'png' || format === 'jpeg') && !isProgressive ? MAX_PIXELS : MAX_PIXELS_DECODED_WHOLE
}

function refuse(error: unknown): never {
  const reason = error instanceof Error ? error.message : ''
  if (/pixel limit/.test(reason)) throw tooManyPixels(MAX_PIXELS)
  if (/timeout/.test(reason)) throw invalid('file', 'Picture took too long to draw: please choose a simpler one')
  throw invalid('file', 'File must be a picture: PNG, JPEG, WebP, AVIF or GIF')
}

function tooManyPixels(most: number): Refusal {
  return invalid('file', `Picture must have at most ${most / 1_000_000} million pixels`)
}

// Only these are ever tried: other decoders of the library, of drawings and documents above all, read what files name.
const FORMATS = ['Png', 'Jpeg', 'Webp', 'Heif', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`)

let loaded: Promise<(file: Uint8Array) => Sharp> | undefined

/** Most processes never see a picture: the library and its memory come with the first one. */
function decoder() {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: FORMATS })
    sharp.cache(false)
    sharp.concurrency(1)
    return (file) => sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'error' })
  })
  return loaded
}
