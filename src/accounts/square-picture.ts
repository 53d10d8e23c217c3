import type { Sharp } from 'sharp'
import { invalid } from '../http/refusal.ts'
import { waitingLine } from '../http/waiting-line.ts'

const SIDE = 512
// A phone's largest photograph, and no more: what unpacks to less fits into the memory of a small machine.
const MOST_PIXELS = 50_000_000
const inTurn = waitingLine({ mostAtOnce: 2, longest: 32 })

/**
 * Whatever picture comes in, a square WebP goes out: decoded and drawn anew, so that nothing of the file itself remains,
 * neither where it was taken nor what was hidden in it.
 */
export function squarePicture(file: Uint8Array): Promise<Uint8Array> {
  return inTurn(async () => {
    const open = await decoder()
    try {
      return await open(file)
        .autoOrient()
        .resize(SIDE, SIDE, { fit: 'cover' })
        .webp({ quality: 82 })
        .timeout({ seconds: 10 })
        .toBuffer()
    } catch (error) {
      throw invalid('file', faultOf(error))
    }
  })
}

function faultOf(error: unknown): string {
  const isTooLarge = error instanceof Error && /pixel limit/.test(error.message)
  return isTooLarge
    ? `Picture must have at most ${MOST_PIXELS / 1_000_000} million pixels`
    : 'File must be a picture: PNG, JPEG, WebP, AVIF or GIF'
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
