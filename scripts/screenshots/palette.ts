import sharp from 'sharp'

/** The same picture with a palette. The interface has few colours: a palette keeps them and halves the file. */
export function withPalette(png: Buffer): Promise<Buffer> {
  return sharp(png).png({ palette: true, effort: 10, compressionLevel: 9 }).toBuffer()
}
