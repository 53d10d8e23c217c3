import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp, { type SharpOptions } from 'sharp'
import { readPictureHeader } from '../../src/pictures/picture-header.ts'
import { PNG, photo, pngChunk, turnedPhoto } from '../support/pictures.ts'

const still = (width: number, height: number) => ({ width, height, isAnimated: false })
const animated = (width: number, height: number) => ({ width, height, isAnimated: true })

async function frames(format: 'gif' | 'webp'): Promise<Buffer> {
  const colours = ['red', 'green'].map((background) => ({ create: { width: 30, height: 20, channels: 3, background } }))
  const inputs = await Promise.all(
    colours.map((input) =>
      sharp(input as SharpOptions)
        .png()
        .toBuffer(),
    ),
  )
  return sharp(inputs, { join: { animated: true } })
    .toFormat(format)
    .toBuffer()
}

const transparent = { create: { width: 40, height: 20, channels: 4, background: '#ff000080' } } as const
const PICTURES: Record<string, { file: Buffer; header: ReturnType<typeof readPictureHeader> }> = {
  'a PNG': { file: PNG, header: still(1, 1) },
  'an animated PNG': {
    file: Buffer.concat([PNG.subarray(0, 33), pngChunk('acTL', Buffer.alloc(8)), PNG.subarray(33)]),
    header: animated(1, 1),
  },
  'a JPEG': { file: await photo(40, 20).jpeg().toBuffer(), header: still(40, 20) },
  'a progressive JPEG': { file: await photo(40, 20).jpeg({ progressive: true }).toBuffer(), header: still(40, 20) },
  'a JPEG on its side': { file: await turnedPhoto(40, 20), header: still(40, 20) },
  'a GIF': { file: await frames('gif'), header: animated(30, 20) },
  'a lossy WebP': { file: await photo(40, 20).webp().toBuffer(), header: still(40, 20) },
  'a lossless WebP': { file: await photo(40, 20).webp({ lossless: true }).toBuffer(), header: still(40, 20) },
  'a transparent WebP': { file: await sharp(transparent).webp().toBuffer(), header: still(40, 20) },
  'an animated WebP': { file: await frames('webp'), header: animated(30, 20) },
  'an AVIF': { file: await photo(40, 20).avif({ effort: 0 }).toBuffer(), header: still(40, 20) },
  'a transparent AVIF': { file: await sharp(transparent).avif({ effort: 0 }).toBuffer(), header: still(40, 20) },
  'an ICO': { file: Buffer.from([0, 0, 1, 0, 1, 0, 16, 0, 0, 0]), header: still(16, 256) },
}

describe('the header of a picture', () => {
  for (const [name, { file, header }] of Object.entries(PICTURES)) {
    it(`of ${name} has its size`, () => assert.deepEqual(readPictureHeader(file), header))

    it(`of ${name} is not invented when the file ends early`, () => {
      for (let end = 0; end < file.length; end++) {
        const found = readPictureHeader(file.subarray(0, end))
        if (found) assert.deepEqual({ ...found, isAnimated: header?.isAnimated }, header)
      }
    })

    it(`of ${name} with wrong bytes throws nothing`, () => {
      for (let at = 0; at < Math.min(file.length, 400); at++) {
        for (const value of [0, 1, 0xff]) {
          const damaged = Buffer.from(file)
          damaged[at] = value
          readPictureHeader(damaged)
        }
      }
    })
  }

  it('is none for other files', () => {
    for (const text of ['', 'a text', '%PDF-1.4', '<p>', '<'])
      assert.equal(readPictureHeader(Buffer.from(text)), undefined, text)
  })

  it('is found in linear time in hostile files', () => {
    const hostile = [
      Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(5_000_000, 0xff)]),
      Buffer.from(`<!--${'<!--'.repeat(1_000_000)}`),
      Buffer.from('<!DOCTYPE svg ['.repeat(300_000)),
      Buffer.from('<!a>'.repeat(1_000_000)),
      Buffer.from(`<svg ${'width '.repeat(500_000)}>`),
      Buffer.from(`<svg viewBox="${' '.repeat(3_000_000)}">`),
      Buffer.concat([
        Buffer.from('\0\0\0\x10ftypavif\0\0\0\0', 'latin1'),
        Buffer.from('\0\0\0\x08free'.repeat(500_000)),
      ]),
    ]
    for (const file of hostile) {
      const start = performance.now()
      readPictureHeader(file)
      assert.ok(performance.now() - start < 2_000)
    }
  })

  it('is none for an AVIF with so many boxes that a list of them would take much memory', async () => {
    const avif = await photo(40, 20).avif({ effort: 0 }).toBuffer()
    const afterFirstBox = avif.readUInt32BE(0)
    const withBoxes = (count: number) =>
      Buffer.concat([
        avif.subarray(0, afterFirstBox),
        Buffer.from('\0\0\0\x08free'.repeat(count)),
        avif.subarray(afterFirstBox),
      ])
    assert.deepEqual(readPictureHeader(withBoxes(100)), still(40, 20))
    assert.equal(readPictureHeader(withBoxes(20_000)), undefined)
  })
})

describe('the size of an SVG', () => {
  const SIZES: [attributes: string, width: number, height: number][] = [
    ['width="40" height="20"', 40, 20],
    ["width='40px' height='20.4'", 40, 20],
    ['width="1in" height="36pt"', 96, 48],
    ['viewBox="0 0 100 50"', 672, 336],
    ['width="100%" height="100%" viewBox="0,0,100,50"', 672, 336],
    ['width="10" viewBox="0 0 100 50"', 10, 5],
    ['height="10" viewBox="0 0 100 50"', 20, 10],
    ['', 300, 150],
    ['width="1e9" height="-4" viewBox="0 0 0 0"', 300, 150],
    ['width="999999999" height="1"', 300, 150],
    ['data-width="5" width="40" height="20"', 40, 20],
  ]
  for (const [attributes, width, height] of SIZES) {
    it(`with ${attributes || 'no attributes'} is ${width} × ${height}`, () => {
      assert.deepEqual(readPictureHeader(Buffer.from(`<svg ${attributes}/>`)), still(width, height))
    })
  }

  it('is that of the root element, after the prolog', () => {
    const prolog =
      '\ufeff<?xml version="1.0"?>\n<!-- <svg width="1" height="1"> -->\n<!DOCTYPE svg [<!ENTITY a "<svg>">]>\n'
    assert.deepEqual(readPictureHeader(Buffer.from(`${prolog}<svg:svg width="40" height="20">`)), still(40, 20))
  })
})
