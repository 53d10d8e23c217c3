import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import decodeQR from 'qr/decode.js'
import sharp from 'sharp'
import { qrCode } from '../../src/lib/qr-code.ts'

const URI =
  'otpauth://totp/Portico:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Portico&algorithm=SHA1&digits=6&period=30'

describe('a QR code', () => {
  it('is read by an independent decoder', async () => {
    for (const text of [URI, `${URI}&${'long'.repeat(60)}`]) {
      const { data, info } = await sharp(Buffer.from(qrCode(text, 'A code')), { density: 300 })
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
      assert.equal(decodeQR({ width: info.width, height: info.height, data }), text)
    }
  })

  it('has a white margin of four modules', async () => {
    const svg = qrCode(URI, 'A code')
    const size = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1])
    const { data } = await sharp(Buffer.from(svg))
      .resize(size, size, { kernel: 'nearest' })
      .greyscale()
      .raw()
      .toBuffer({
        resolveWithObject: true,
      })
    for (let at = 0; at < size; at++) {
      for (const margin of [0, 1, 2, 3, size - 4, size - 3, size - 2, size - 1]) {
        assert.equal(data[at * size + margin], 255)
        assert.equal(data[margin * size + at], 255)
      }
    }
    assert.equal(data[4 * size + 4], 0)
  })

  it('needs no style and no script, and its label is escaped', () => {
    const svg = qrCode(URI, 'A "code" <b>')
    assert.doesNotMatch(svg, /style|script|on\w+=/)
    assert.match(svg, /role="img" aria-label="A &quot;code&quot; &lt;b&gt;"/)
  })
})
