import assert from 'node:assert/strict'
import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { PictureFile } from '../../src/pictures/picture-facts.ts'
import { openPictures, type Pictures } from '../../src/pictures/pictures.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { photo } from '../support/pictures.ts'
import { logTo } from '../support/service.ts'
import { eventually } from '../support/site.ts'

const newPhoto = () => photo(600, 120).jpeg({ quality: 100 }).toBuffer()
const HEADER = { width: 600, height: 120, isAnimated: false }

describe('the store of pictures', () => {
  it('has the sizes of pictures that are used, and those of a replaced one for a day', async (t) => {
    const folder = await temporaryFolder(t)
    const store = join(folder, 'data')
    const made = join(store, 'made')
    let reports = 0
    const first = await open()
    const content = await newPhoto()
    const [original, copy] = [await picture('a.jpg', content), await picture('copy.jpg', content)]
    const key = await keyOf(first, original)
    assert.equal(await keyOf(first, copy), key)
    first.close()

    // After a start, the folder is swept before every document has been read.
    await makeOld()
    const second = await open()
    await keyOf(second, await picture('b.jpg', await newPhoto()))
    assert.ok(await hasSizesOf(key))

    // The same content is in another file.
    assert.equal(await keyOf(second, original), key)
    assert.equal(await keyOf(second, copy), key)
    const replaced = await keyOf(second, await picture('a.jpg', await newPhoto()))
    await makeOld()
    await keyOf(second, await picture('c.jpg', await newPhoto()))
    assert.ok(await hasSizesOf(key))

    await keyOf(second, await picture('copy.jpg', await newPhoto()))
    await makeOld()
    await keyOf(second, await picture('d.jpg', await newPhoto()))
    assert.deepEqual([await hasSizesOf(key), await hasSizesOf(replaced)], [false, true])

    async function open(): Promise<Pictures> {
      const log = logTo(() => {})
      const pictures = await openPictures(store, log, { changed: () => reports++, prepared: async () => {} })
      cleanUp(t, () => pictures.close())
      return pictures
    }

    async function picture(file: string, content: Buffer): Promise<PictureFile> {
      const path = join(folder, file)
      await writeFile(path, content)
      const { mtime, size } = await stat(path)
      return { file, path, modified: mtime, size }
    }

    /** The key of the sizes, when they are made. The next picture that has none begins with a sweep then. */
    async function keyOf(pictures: Pictures, file: PictureFile): Promise<string> {
      const reported = reports + (pictures.index.find(file)?.sizes ? 0 : 1)
      if (!pictures.index.find(file)) pictures.index.set(file, { header: HEADER })
      let key = ''
      await eventually(async () => {
        key = pictures.sizesOf(file)?.key ?? ''
        assert.ok(key && reports >= reported)
      })
      return key
    }

    async function makeOld(): Promise<void> {
      const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000)
      for (const name of await readdir(made)) await utimes(join(made, name), longAgo, longAgo)
    }

    async function hasSizesOf(key: string): Promise<boolean> {
      return (await readdir(made)).some((name) => name.startsWith(key))
    }
  })

  it('does not try again at once to draw a card that cannot be drawn', async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'fonts'), '')
    const log = logTo(() => {})
    const pictures = await openPictures(folder, log, { changed() {}, prepared: async () => {} })
    cleanUp(t, () => pictures.close())
    const keptAlive = setInterval(() => {}, 60_000)
    cleanUp(t, () => clearInterval(keptAlive))
    const card = {
      title: 'A',
      siteTitle: 'B',
      author: '',
      date: '',
      host: 'c.example',
      portrait: '',
      look: 'portico' as const,
      font: 'sans' as const,
      colours: {
        ground: '#ffffff',
        ink: '#000000',
        soft: '#000000',
        edge: '#000000',
        accent: '#000000',
        'accent-tint': '#000000',
      },
    }
    const failure = await pictures.readCard('x.png', card).catch((error) => error)
    assert.ok(failure instanceof Error)
    assert.equal(await pictures.readCard('x.png', card).catch((error) => error), failure)
    assert.notEqual(await pictures.readCard('y.png', card).catch((error) => error), failure)
  })
})
