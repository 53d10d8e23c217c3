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

describe('a picture of the maximum number of pixels', () => {
  it('is decoded in little memory, or not at all, when it is an AVIF of two kilobytes', async () => {
    const blank = { width: 7000, height: 7000, channels: 3, background: 'red' } as const
    const file = await sharp({ create: blank }).avif({ effort: 0, quality: 20 }).toBuffer()
    assert.ok(file.length < 5000)
    const memory = await memoryFor(() => squarePicture(file, () => {}).catch(({ status }) => assert.equal(status, 400)))
    assert.ok(memory < MAX_MEMORY_BYTES, `${Math.round(memory / BYTES_PER_MB)} MB`)
  })
})
