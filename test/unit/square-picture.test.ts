import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { squarePicture } from '../../src/accounts/square-picture.ts'

const BYTES_PER_MB = 1024 * 1024
// Two are decoded at once, and a small machine has little more.
const MAX_MEMORY_BYTES = 512 * BYTES_PER_MB

/** The peak memory of the process during the work, above that before it. */
async function memoryFor(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 2)
  await work().finally(() => clearInterval(watch))
  return most - before
}

describe('a picture of too many pixels', () => {
  it('is refused by its header alone when it is an AVIF of half a kilobyte', async () => {
    const blank = { width: 4000, height: 4000, channels: 3, background: 'red' } as const
    const file = await sharp({ create: blank }).avif({ effort: 0, quality: 20 }).toBuffer()
    assert.ok(file.length < 1000)
    let admitted = 0
    const drawn = squarePicture(file, () => {
      admitted += 1
    })
    await assert.rejects(drawn, ({ errors }) => errors[0].message === 'Picture must have at most 8 million pixels')
    // Decoding begins when the picture has been admitted.
    assert.equal(admitted, 0)
  })

  it('is refused when its header has fewer pixels than its data', async () => {
    const blank = { width: 4000, height: 4000, channels: 3, background: 'red' } as const
    const file = await sharp({ create: blank }).avif({ effort: 0, quality: 20 }).toBuffer()
    const size = file.indexOf('ispe') + 8
    file.writeUInt32BE(100, size)
    file.writeUInt32BE(100, size + 4)
    const sizes: number[] = []
    await assert.rejects(
      squarePicture(file, (megapixels) => sizes.push(megapixels)),
      ({ status }) => status === 400,
    )
    assert.deepEqual(sizes, [1])
  })
})

describe('a picture of long rows', () => {
  it('is refused by its header, because libvips keeps whole rows in memory', async () => {
    const blank = { width: 30_000, height: 100, channels: 4, background: 'red' } as const
    const file = await sharp({ create: blank }).png().toBuffer()
    await assert.rejects(
      squarePicture(file, () => assert.fail('admitted')),
      ({ errors }) => errors[0].message === 'Picture must be at most 16384 pixels wide',
    )
  })

  it('is refused with half the width when a sample has two bytes', async () => {
    const blank = { width: 8_193, height: 100, channels: 4, background: 'red' } as const
    const file = await sharp({ create: blank }).toColourspace('rgb16').png().toBuffer()
    await assert.rejects(
      squarePicture(file, () => assert.fail('admitted')),
      ({ errors }) => errors[0].message === 'Picture must be at most 8192 pixels wide',
    )
  })
})

describe('a picture that its EXIF data turn', () => {
  it('is upright, in each of the eight orientations, also when it was made smaller', async () => {
    const quarter = { width: 700, height: 500, channels: 3 } as const
    const corners = [
      { input: { create: { ...quarter, background: 'red' } }, left: 0, top: 0 },
      { input: { create: { ...quarter, background: 'lime' } }, left: 700, top: 0 },
      { input: { create: { ...quarter, background: 'blue' } }, left: 0, top: 500 },
    ]
    const blank = { width: 1400, height: 1000, channels: 3, background: 'white' } as const
    const plain = await sharp({ create: blank }).composite(corners).png().toBuffer()
    for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const file = await sharp(plain).withMetadata({ orientation }).jpeg().toBuffer()
      const expected = await sharp(file).autoOrient().resize(512, 512, { fit: 'cover' }).raw().toBuffer()
      const square = sharp(await squarePicture(file, () => {}))
      assert.equal((await square.metadata()).orientation, undefined)
      const actual = await square.raw().toBuffer()
      for (const [x, y] of [
        [100, 100],
        [400, 100],
        [100, 400],
        [400, 400],
      ] as const) {
        const at = (y * 512 + x) * 3
        for (const sample of [at, at + 1, at + 2]) {
          const difference = Math.abs((actual[sample] ?? 0) - (expected[sample] ?? 0))
          assert.ok(difference < 24, `orientation ${orientation}, at ${x}, ${y}: ${difference}`)
        }
      }
    }
  })
})

describe('a picture of the maximum number of pixels', () => {
  it('is decoded in little memory, or not at all, when it is an AVIF of two kilobytes', async () => {
    const blank = { width: 7000, height: 7000, channels: 3, background: 'red' } as const
    const file = await sharp({ create: blank }).avif({ effort: 0, quality: 20 }).toBuffer()
    assert.ok(file.length < 5000)
    const memory = await memoryFor(() => squarePicture(file, () => {}).catch(({ status }) => assert.equal(status, 400)))
    assert.ok(memory < MAX_MEMORY_BYTES, `${Math.round(memory / BYTES_PER_MB)} MB`)
  })
})
