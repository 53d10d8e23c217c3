import type { Sharp } from 'sharp'
import { invalid, Refusal } from '../http/refusal.ts'
import { waitingLine } from '../http/waiting-line.ts'

const SIDE = 512
// A phone's largest photograph, and no more: what unpacks to less fits into the memory of a small machine.
const MOST_PIXELS = 50_000_000
// Plain PNG and JPEG are made smaller while they are read; what is not must be unpacked whole first.
const MOST_PIXELS_AT_ONCE = 16_000_000
const inTurn = waitingLine({ mostAtOnce: 2, longest: 32 })

/**
 * Whatever picture comes in, a square WebP goes out: decoded and drawn anew, so that nothing of the file itself remains,
 * neither where it was taken nor what was hidden in it.
 */
export function squarePicture(file: Uint8Array): Promise<Uint8Array> {
  return inTurn(async () => {
    const open = await decoder()
    try {
      const { format, width, height, isProgressive } = await open(file).metadata()
      const isReadInLines = (format === 'png' || format === 'jpeg') && !isProgressive
      if (!isReadInLines && width * height > MOST_PIXELS_AT_ONCE) throw tooManyPixels(MOST_PIXELS_AT_ONCE)
      return await open(file)
        .autoOrient()
        .resize(SIDE, SIDE, { fit: 'cover' })
        .webp({ quality: 82 })
        .timeout({ seconds: 10 })
        .toBuffer()
    } catch (error) {
      throw refusalOf(error)
    }
  })
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const reason = error instanceof Error ? error.message : ''
  if (/pixel limit/.test(reason)) return tooManyPixels(MOST_PIXELS)
  if (/timeout/.test(reason)) return invalid('file', 'Picture took too long to draw: please choose a simpler one')
  return invalid('file', 'File must be a picture: PNG, JPEG, WebP, AVIF or GIF')
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
    return (file) => sharp(file, { limitInputPixels: MOST_PIXELS, failOn: 'error' })
  })
  return loaded
}
