import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { squarePicture } from '../../src/accounts/square-picture.ts'

const MB = 1024 * 1024
// Two are made at once, and a small machine has little more.
const MOST_MEMORY = 512 * MB

/** The most memory that the process has had while it worked, above what it had before. */
async function memoryFor(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 2)
  await work().finally(() => clearInterval(watch))
  return most - before
}

describe('a picture of the most pixels that are taken', () => {
  it('is unpacked in little memory, or not at all, when it is an AVIF of two kilobytes', async () => {
    const blank = { width: 7000, height: 7000, channels: 3, background: 'red' } as const
    const file = await sharp({ create: blank }).avif({ effort: 0, quality: 20 }).toBuffer()
    assert.ok(file.length < 5000)
    const memory = await memoryFor(() => squarePicture(file, () => {}).catch(({ status }) => assert.equal(status, 400)))
    assert.ok(memory < MOST_MEMORY, `${Math.round(memory / MB)} MB`)
  })
})
