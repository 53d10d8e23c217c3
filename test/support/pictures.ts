import assert from 'node:assert/strict'
import { randomFillSync } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { type ApiResponse, assertSucceeded, type CallOptions, type Credentials, fetchPlain, post } from './api.ts'
import type { Service } from './service.ts'

export type Colour = 'red' | 'lime' | 'blue' | 'white'
type Quarters = [topLeft: Colour, topRight: Colour, bottomLeft: Colour, bottomRight: Colour]

const COLOURS: Record<Colour, [number, number, number]> = {
  red: [255, 0, 0],
  lime: [0, 255, 0],
  blue: [0, 0, 255],
  white: [255, 255, 255],
}

/** The quarters of every picture when it is upright. */
export const UPRIGHT: Quarters = ['red', 'lime', 'blue', 'white']
/** The camera's position, and other metadata that is not visible. */
export const METADATA = ['Taken-in-the-kitchen', 'WGS-84-secret', 'xmp-secret', '<script>']

/** Real pictures of every accepted format, each wider than high. */
export const PICTURES: Record<string, () => Promise<Buffer>> = {
  'a PNG': () => quarters(UPRIGHT).png().toBuffer(),
  'a PNG of 16 bits a colour': () => quarters(UPRIGHT).toColourspace('rgb16').png().toBuffer(),
  'a JPEG': () => quarters(UPRIGHT).jpeg({ quality: 95 }).toBuffer(),
  'a CMYK JPEG': () => quarters(UPRIGHT).toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
  'a progressive JPEG': () => quarters(UPRIGHT).jpeg({ quality: 95, progressive: true }).toBuffer(),
  'a WebP': () => quarters(UPRIGHT).webp({ quality: 95 }).toBuffer(),
  'an AVIF': () => quarters(UPRIGHT).avif({ quality: 80, effort: 0 }).toBuffer(),
  'a GIF': () => quarters(UPRIGHT).gif().toBuffer(),
  'an animated GIF': () =>
    animation()
      .gif({ delay: [100, 100] })
      .toBuffer(),
  'an animated WebP': () =>
    animation()
      .webp({ delay: [100, 100] })
      .toBuffer(),
  'a picture smaller than the stored size': () => quarters(UPRIGHT, { width: 40, height: 20 }).png().toBuffer(),
}

/** A photograph like that of a telephone: rotated, with EXIF metadata for the orientation and the position. */
export async function photograph(): Promise<Buffer> {
  const lying = quarters(['lime', 'white', 'red', 'blue'])
    .withIccProfile('p3')
    .withExif({
      IFD0: { Copyright: 'Taken-in-the-kitchen' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSMapDatum: 'WGS-84-secret' },
    })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">xmp-secret</x:xmpmeta>')
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 95 })
  // Decoders ignore bytes after the image, but a browser that sniffs content types might not.
  return Buffer.concat([await lying.toBuffer(), Buffer.from('<script>alert(1)</script>')])
}

/** A picture whose file has this many bytes. The bytes after its end are ignored by decoders. */
export async function pictureOf(bytes: number): Promise<Buffer> {
  const small = await quarters(UPRIGHT).jpeg({ quality: 95 }).toBuffer()
  return Buffer.concat([small, Buffer.alloc(bytes - small.length)])
}

/** A picture that is slow to decode. */
export function largePicture(): Promise<Buffer> {
  return quarters(UPRIGHT, { width: 1800, height: 1200 }).avif({ quality: 30, effort: 0 }).toBuffer()
}

export const quarters = (colours: Quarters, { width = 800, height = 600 } = {}): Sharp =>
  sharp(pixels(colours, width, height), { raw: { width, height, channels: 3 } })

/** The colours in the centres of the four quarters, each rounded to the nearest of the possible colours. */
export async function quartersOf(picture: Uint8Array): Promise<Colour[]> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => {
    const place = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels
    return nearest([...data.subarray(place, place + 3)])
  }
  return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)]
}

/** A PNG that is far larger decompressed than compressed: one colour, 1 bit a pixel, interlaced. */
export function bomb(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([1, 0, 0, 0, 1], 8)
  const rows = ADAM7.reduce((size, [x, y, acrossEvery, downEvery]) => {
    const [columns, lines] = [Math.ceil((side - x) / acrossEvery), Math.ceil((side - y) / downEvery)]
    return size + lines * (1 + Math.ceil(columns / 8))
  }, 0)
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(rows))), chunk('IEND')]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])
}

const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** Two frames: the quarters, and then the same upside down. */
function animation(): Sharp {
  const [width, height] = [400, 300]
  const frames = Buffer.concat([
    pixels(UPRIGHT, width, height),
    pixels(UPRIGHT.toReversed() as Quarters, width, height),
  ])
  return sharp(frames, { raw: { width, height: 2 * height, channels: 3, pageHeight: height } })
}

function pixels(colours: Quarters, width: number, height: number): Buffer {
  const line = (left: Colour, right: Colour) =>
    Buffer.from(Array.from({ length: width }, (_, x) => COLOURS[x < width / 2 ? left : right]).flat())
  const [top, bottom] = [line(colours[0], colours[1]), line(colours[2], colours[3])]
  return Buffer.concat(Array.from({ length: height }, (_, y) => (y < height / 2 ? top : bottom)))
}

function nearest(pixel: number[]): Colour {
  const distance = (colour: Colour) =>
    COLOURS[colour].reduce((sum, part, at) => sum + Math.abs(part - (pixel[at] ?? 0)), 0)
  return (Object.keys(COLOURS) as Colour[]).toSorted((one, other) => distance(one) - distance(other))[0] as Colour
}

/** A picture for tests in which any picture will do. */
export const ANY_PICTURE = await quarters(UPRIGHT, { width: 40, height: 20 }).png().toBuffer()

/** Sends a form as a browser does. */
export async function sendForm(
  service: { url: string },
  fields: Record<string, Uint8Array | string>,
  options: CallOptions = {},
): Promise<ApiResponse> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, typeof value === 'string' ? value : new File([Buffer.from(value)], 'me.png', { type: 'image/png' }))
  }
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '', ...options.headers }
  return post(service, '/api/uploads', await encoded.bytes(), { ...options, headers })
}

export const upload = (service: { url: string }, as: Credentials, file: Uint8Array = ANY_PICTURE) =>
  sendForm(service, { file }, { as })

/** The URL of an uploaded picture. */
export async function uploaded(service: { url: string }, as: Credentials, file?: Uint8Array): Promise<string> {
  const response = await upload(service, as, file)
  assertSucceeded(response, 201)
  return response.body.data.url
}

/** Uploads an avatar and returns its URL. */
export async function newAvatar(service: { url: string }, as: Credentials): Promise<string> {
  const avatar = await uploaded(service, as)
  assertSucceeded(await post(service, '/api/upload-avatar', { avatar }, { as }))
  return avatar
}

/** The response at the path of a picture's URL, whichever host the URL names. */
export const served = (service: { url: string }, url: string, headers?: Record<string, string>, method?: string) =>
  fetchPlain(service, `/uploads/${url.split('/').at(-1)}`, headers, method)

export async function assertServed(service: { url: string }, ...urls: string[]): Promise<void> {
  for (const url of urls) assert.equal((await served(service, url)).status, 200, url)
}

/** The response is a 404, neither immutable nor with a max-age. */
export async function assertGone(service: { url: string }, ...urls: string[]): Promise<void> {
  for (const url of urls) {
    const { status, headers } = await served(service, url)
    assert.equal(status, 404, url)
    assert.doesNotMatch(headers.get('cache-control') ?? '', /immutable|max-age=[1-9]/)
  }
}

/** The names of the files of an account, used and unused. */
export async function picturesOf({ portico: { database } }: Service, { userId }: { userId: string }) {
  const rows = await database.query.selectFrom('pictures').selectAll().where('user_id', '=', userId).execute()
  const names = (used: boolean) =>
    rows.filter((row) => (row.unused_since === null) === used).map(({ id }) => `${id}.webp`)
  return { used: names(true), unused: names(false) }
}

export const nameOf = (url: string) => url.split('/').at(-1) ?? ''

/** A PNG of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Pixels that compress like those of a photograph: noise at a low resolution, scaled up. */
export function photo(width: number, height: number) {
  const small = { width: Math.ceil(width / 8), height: Math.ceil(height / 8), channels: 3 } as const
  const noise = randomFillSync(Buffer.alloc(small.width * small.height * 3))
  return sharp(noise, { raw: small }).resize(width, height, { kernel: 'cubic' })
}

/** A JPEG that is stored lying on its side, with the place where it was taken. */
export function turnedPhoto(width: number, height: number): Promise<Buffer> {
  return photo(height, width)
    .jpeg({ quality: 95 })
    .withExif({
      IFD0: { Orientation: '6', Copyright: 'someone' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    })
    .withMetadata({ orientation: 6 })
    .toBuffer()
}

/** A chunk of a PNG. Its checksum is zero: readers of headers do not compute it. */
export function pngChunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(content.length)
  return Buffer.concat([size, Buffer.from(name, 'latin1'), content, Buffer.alloc(4)])
}
