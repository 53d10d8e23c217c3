import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { base32 } from '../../src/lib/base32.ts'
import { acceptedStep, codeAt, STEP_SECONDS, stepAt } from '../../src/proofs/totp.ts'

// RFC 6238, appendix B: the rows of SHA-1.
const RFC_SECRET = Buffer.from('12345678901234567890')
const RFC_CODES: [seconds: number, code: string][] = [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
]

describe('the codes of an authenticator app', () => {
  it('are those of RFC 6238, appendix B, shortened to six digits', () => {
    for (const [seconds, code] of RFC_CODES) {
      assert.equal(codeAt(RFC_SECRET, stepAt(seconds * 1000)), code.slice(-6), `at ${seconds}`)
    }
  })

  it('are those of an independent generator', () => {
    for (let round = 0; round < 500; round++) {
      const secret = randomBytes(20)
      const timestamp = randomInt(2 ** 43)
      const generator = new TOTP({ secret: Secret.fromBase32(base32(secret)) })
      assert.equal(codeAt(secret, stepAt(timestamp)), generator.generate({ timestamp }))
    }
  })

  it('are accepted one step early and one step late, and no further', () => {
    const now = Date.UTC(2026, 10, 16, 12)
    const current = stepAt(now)
    for (const [offset, isAccepted] of [
      [-2, false],
      [-1, true],
      [0, true],
      [1, true],
      [2, false],
    ] as const) {
      const code = codeAt(RFC_SECRET, current + offset)
      assert.equal(acceptedStep(RFC_SECRET, code, now), isAccepted ? current + offset : undefined, `${offset}`)
      assert.equal(acceptedStep(RFC_SECRET, code, now + STEP_SECONDS * 1000 - 1) !== undefined, isAccepted)
    }
  })

  it('are not accepted in another form', () => {
    const now = Date.UTC(2026, 10, 16, 12)
    const code = codeAt(RFC_SECRET, stepAt(now))
    for (const other of ['', code.slice(1), `${code}0`, ` ${code}`, [...code].reverse().join('')]) {
      if (other !== code) assert.equal(acceptedStep(RFC_SECRET, other, now), undefined)
    }
  })
})

describe('base 32', () => {
  it('has the test vectors of RFC 4648, section 10, without padding', () => {
    const vectors = {
      '': '',
      f: 'MY',
      fo: 'MZXQ',
      foo: 'MZXW6',
      foob: 'MZXW6YQ',
      fooba: 'MZXW6YTB',
      foobar: 'MZXW6YTBOI',
    }
    for (const [text, encoded] of Object.entries(vectors)) assert.equal(base32(Buffer.from(text)), encoded)
  })

  it('is read back by an independent decoder', () => {
    for (let size = 0; size < 64; size++) {
      const bytes = randomBytes(size)
      assert.deepEqual(Buffer.from(Secret.fromBase32(base32(bytes)).bytes), bytes)
    }
  })
})
