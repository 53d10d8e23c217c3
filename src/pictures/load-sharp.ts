import type sharp from 'sharp'

// The only decoders that libvips may use. Others, such as those of SVG and PDF, can load files that a picture names.
// Uploads of strangers are decoded with them too.
const ALLOWED_LOADERS = ['Png', 'Jpeg', 'Webp', 'Heif', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`)

let loading: Promise<typeof sharp> | undefined

/** Loads sharp at its first use: with one thread, no cache, and no decoders but those of photographs. */
export function loadSharp(): Promise<typeof sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: ALLOWED_LOADERS })
    sharp.cache(false)
    sharp.concurrency(1)
    return sharp
  })
  return loading
}
