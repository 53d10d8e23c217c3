import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import sharp from 'sharp'
import type { CardFacts } from '../../src/pictures/cards/facts.ts'
import { createPictureMaker, type PictureMaker } from '../../src/pictures/picture-maker.ts'
import { createPictureStore } from '../../src/pictures/picture-store.ts'
import { cleanUp, suiteCleanUp, temporaryFolder } from '../support/clean-up.ts'
import { PNG, photo, pngChunk, turnedPhoto } from '../support/pictures.ts'

const LOOKS: Pick<CardFacts, 'look' | 'font'>[] = [
  { look: 'portico', font: 'sans' },
  { look: 'journal', font: 'serif' },
  { look: 'terminal', font: 'mono' },
]
const CARD: CardFacts = {
  title: 'Hello',
  siteTitle: 'Ada’s site',
  author: 'Ada',
  date: '8 November 2026',
  host: 'ada.example',
  look: 'portico',
  font: 'sans',
  colours: {
    ground: '#fbfaf8',
    ink: '#1b1c1e',
    soft: '#5c5d61',
    edge: '#8a8780',
    accent: '#0b6e5f',
    'accent-tint': '#e4f3ef',
  },
  portrait: '',
}

/** Whether a strip of 40 pixels at an edge of the text has letters, at the height of the title. */
async function hasLetters(card: Buffer, edge: 'left' | 'right'): Promise<boolean> {
  const strip = { left: edge === 'left' ? 80 : 1080, top: 180, width: 40, height: 200 }
  const { channels } = await sharp(await sharp(card).extract(strip).png().toBuffer()).stats()
  return channels.some(({ stdev }) => stdev > 10)
}

describe('the process that draws pictures', () => {
  const suite = suiteCleanUp()
  let folder: string
  let maker: PictureMaker
  before(async () => {
    folder = await temporaryFolder(suite)
    maker = createPictureMaker(join(folder, 'made'), join(folder, 'fonts'))
    cleanUp(suite, () => maker.close())
    // The process of the maker does not keep this process alive.
    const keptAlive = setInterval(() => {}, 60_000)
    cleanUp(suite, () => clearInterval(keptAlive))
  })

  async function sizesOf(name: string, content: Buffer) {
    await writeFile(join(folder, name), content)
    return maker.makeSizes(join(folder, name))
  }

  async function sizesOrFail(name: string, content: Buffer) {
    const sizes = await sizesOf(name, content)
    if ('problem' in sizes) throw new Error(sizes.problem)
    return sizes
  }

  it('makes smaller sizes upright, without the place where the picture was taken', async () => {
    const original = await turnedPhoto(600, 450)
    assert.ok((await sharp(original).metadata()).exif)
    const sizes = await sizesOrFail('turned.jpg', original)
    assert.deepEqual([sizes.width, sizes.height], [600, 450])
    assert.deepEqual(
      [sizes.avif, sizes.webp],
      [
        [480, 600],
        [480, 600],
      ],
    )
    const store = createPictureStore(join(folder, 'made'))
    for (const format of ['avif', 'webp'])
      for (const width of [480, 600]) {
        const bytes = await store.read(`${sizes.key}-${width}.${format}`)
        assert.ok(bytes && bytes.length < original.length)
        const made = await sharp(bytes).metadata()
        assert.deepEqual([made.width, made.height], [width, Math.round((width * 3) / 4)])
        assert.deepEqual([made.exif, made.orientation], [undefined, undefined])
      }
  })

  it('makes no size that is wider than the picture, and none of a small file', async () => {
    const picture = await photo(600, 300).jpeg({ quality: 100 }).toBuffer()
    assert.deepEqual((await sizesOrFail('narrow.jpg', picture)).webp, [480, 600])
    assert.deepEqual((await sizesOrFail('small.png', PNG)).webp, [])
  })

  it('leaves out a format in which the picture would be larger', async () => {
    const stored = await photo(600, 300).webp({ quality: 5 }).toBuffer()
    const sizes = await sizesOrFail('poor.webp', stored)
    assert.deepEqual([sizes.avif, sizes.webp], [[], []])
  })

  const size = Buffer.alloc(13)
  size.writeUInt32BE(30_000, 0)
  size.writeUInt32BE(30_000, 4)
  size.set([8, 2, 0, 0, 0], 8)
  const bomb = Buffer.concat([PNG.subarray(0, 8), pngChunk('IHDR', size), PNG.subarray(33)])
  const HOSTILE: Record<string, () => Promise<Buffer>> = {
    'a PNG of 900 million pixels': async () => bomb,
    'a truncated JPEG': async () => (await photo(1000, 750).jpeg().toBuffer()).subarray(0, 20_000),
    'a progressive JPEG of too many pixels': async () => {
      const blank = { width: 6000, height: 5000, channels: 3, background: 'red' } as const
      return sharp({ create: blank }).jpeg({ progressive: true }).toBuffer()
    },
    'an SVG with the name of a PNG': async () =>
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="/etc/passwd"/></svg>'),
    'a text': async () => Buffer.from('not a picture'.repeat(1000)),
    nothing: async () => Buffer.alloc(0),
  }
  for (const [name, make] of Object.entries(HOSTILE)) {
    it(`refuses ${name}, and goes on`, async () => {
      const result = await sizesOf('hostile.png', await make()).catch((error) => ({ problem: error.message as string }))
      assert.ok('problem' in result && result.problem, name)
      assert.ok('key' in (await sizesOf('good.png', PNG)))
    })
  }

  it('is started again when it has crashed, and knows nothing of the environment', async () => {
    const running = await sizesOf('good.png', PNG)
    assert.ok('key' in running)
    const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
    const [line = ''] = list.filter(
      (entry) => entry.includes(` ${process.pid} `) && entry.includes('picture-process.js'),
    )
    const interrupted = maker.makeSizes(join(folder, 'turned.jpg'))
    process.kill(Number.parseInt(line, 10), 'SIGKILL')
    await assert.rejects(interrupted, /has ended/)
    assert.ok('key' in (await sizesOf('good.png', PNG)))
  })

  it('fails each task that waits for it when it cannot be started', async (t) => {
    // The folder is a parameter of the process. A parameter with NUL makes `fork` throw, as a lack of memory does.
    const other = createPictureMaker('\0', folder)
    cleanUp(t, async () => other.close())
    const tasks = await Promise.allSettled([other.makeSizes('a'), other.makeSizes('b'), other.drawCard(CARD)])
    assert.deepEqual(
      tasks.map((task) => task.status === 'rejected' && task.reason.code),
      ['ERR_INVALID_ARG_VALUE', 'ERR_INVALID_ARG_VALUE', 'ERR_INVALID_ARG_VALUE'],
    )
  })

  it('ends at its limit of CPU time', async (t) => {
    const limited = createPictureMaker(join(folder, 'made'), join(folder, 'fonts'), { taskCpuLimitMs: 1 })
    cleanUp(t, () => limited.close())
    await writeFile(join(folder, 'large.jpg'), await photo(1400, 1000).jpeg({ quality: 100 }).toBuffer())
    await assert.rejects(limited.makeSizes(join(folder, 'large.jpg')), /has ended/)
  })

  const TITLES = ['שלום', 'x'.repeat(100_000), '👩\u200d漢'.repeat(300)]
  // The looks differ in their layout only, so one of them is drawn with all titles.
  const MORE_TITLES = [
    '日本語',
    '🎉',
    '',
    'مرحبا',
    '<b>&',
    '\u202e\u0000\ud800',
    'ﷺ'.repeat(500),
    '👍🏽'.concat('🏽'.repeat(500)),
    `${'👩\u200d'.repeat(100)}a${'\u0301'.repeat(899)}`,
  ]
  for (const look of LOOKS) {
    it(`draws a card of any title in the look ${look.look}`, async () => {
      const titles = look.look === 'portico' ? [...TITLES, ...MORE_TITLES] : TITLES
      for (const title of titles) {
        const card = await maker.drawCard({ ...CARD, ...look, title, siteTitle: title, author: title })
        const { width, height, format } = await sharp(card).metadata()
        assert.deepEqual([width, height, format], [1200, 630, 'png'])
      }
    })
  }

  it('leaves the margins of a card with a long title empty', async () => {
    // The accent bar of one look is in the first 18 pixels, and its columns are between the side margins.
    const MARGINS = {
      left: { left: 0, top: 18, width: 78, height: 612 },
      right: { left: 1122, top: 18, width: 78, height: 612 },
      top: { left: 0, top: 18, width: 1200, height: 40 },
    }
    const titles = ['Wonderful words '.repeat(30), 'W'.repeat(500), 'שלום עולם '.repeat(50)]
    for (const [index, look] of LOOKS.entries()) {
      const title = titles[index] ?? ''
      const card = await maker.drawCard({ ...CARD, ...look, title, author: title, siteTitle: title })
      for (const [name, margin] of Object.entries(MARGINS)) {
        const pixels = await sharp(card).extract(margin).raw().toBuffer()
        const ground = Buffer.from(CARD.colours.ground.slice(1).repeat(pixels.length / 3), 'hex')
        assert.ok(pixels.equals(ground), `${look.look}, ${name}: ${title.slice(0, 20)}`)
      }
    }
  })

  it('draws the next text that has glyphs instead of a title without, and emoji', async () => {
    const draw = (facts: Partial<CardFacts>) => maker.drawCard({ ...CARD, ...facts })
    const japanese = await draw({ title: '日本語', siteTitle: '日本' })
    assert.deepEqual(japanese, await draw({ title: CARD.host, siteTitle: '日本' }))
    assert.notDeepEqual(await draw({ title: 'I 💚 cats' }), await draw({ title: 'I cats' }))
    assert.deepEqual(await draw({ title: '3️⃣ cats' }), await draw({ title: '3 cats' }))
  })

  it('draws again when its fonts could not be written, and repairs a font', async (t) => {
    const own = await temporaryFolder(t)
    const fonts = join(own, 'fonts')
    await writeFile(fonts, '')
    const other = createPictureMaker(join(own, 'made'), fonts)
    cleanUp(t, () => other.close())
    await assert.rejects(other.drawCard(CARD), /EEXIST|ENOTDIR/)
    await rm(fonts)
    const card = await other.drawCard(CARD)
    other.close()
    await truncate(join(fonts, 'instrument-sans-latin-700-normal.ttf'), 0)
    const next = createPictureMaker(join(own, 'made'), fonts)
    cleanUp(t, () => next.close())
    assert.deepEqual(await next.drawCard(CARD), card)
  })

  it('begins a title at the right if its script runs from right to left', async () => {
    for (const look of LOOKS.filter(({ look }) => look !== 'journal')) {
      const [hello, shalom] = await Promise.all(
        ['Hello', 'שלום'].map((title) => maker.drawCard({ ...CARD, ...look, title })),
      )
      const edges = async (card: Buffer = Buffer.alloc(0)) => [
        await hasLetters(card, 'left'),
        await hasLetters(card, 'right'),
      ]
      assert.deepEqual(await edges(hello), [true, false], look.look)
      assert.deepEqual(await edges(shalom), [false, true], look.look)
    }
  })

  it('shortens the name of the site to one line', async () => {
    // Below a single line, at the middle of the card, where no look has a rule.
    const below = { left: 560, top: 128, width: 80, height: 12 }
    for (const look of LOOKS)
      for (const siteTitle of ['Wonderful '.repeat(20), '💚'.repeat(100)]) {
        const card = await maker.drawCard({ ...CARD, ...look, siteTitle })
        const { channels } = await sharp(await sharp(card).extract(below).png().toBuffer()).stats()
        assert.ok(
          channels.every(({ stdev }) => stdev === 0),
          `${look.look}: ${siteTitle}`,
        )
      }
  })

  it('draws each look and each font differently, and stores no font of the system', async () => {
    const drawn = [...LOOKS, { look: 'portico', font: 'mono' } as const]
    const cards = await Promise.all(drawn.map((look) => maker.drawCard({ ...CARD, ...look })))
    assert.equal(new Set(cards.map((card) => card.toString('base64'))).size, drawn.length)
    const fonts = (await readdir(join(folder, 'fonts'))).filter((name) => name.endsWith('.ttf'))
    const families = fonts.map((name) => name.replace(/-(?:latin|cyrillic|greek|emoji)(?:-ext)?-\d+-normal\.ttf$/, ''))
    assert.deepEqual([...new Set(families)].sort(), [
      'dejavu-sans',
      'instrument-sans',
      'jetbrains-mono',
      'noto-emoji',
      'source-serif-4',
    ])
  })
})
