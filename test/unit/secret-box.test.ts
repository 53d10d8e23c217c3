import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { createSecretBox } from '../../src/proofs/secret-box.ts'

const DATABASE_KEY = randomBytes(32)
const SETTING = randomBytes(32)
const SECRET = randomBytes(20)

describe('a sealed secret', () => {
  it('opens for its context', () => {
    for (const setting of [undefined, SETTING]) {
      const box = createSecretBox(DATABASE_KEY, setting)
      assert.deepEqual(box.open('ada', box.seal('ada', SECRET)), SECRET)
    }
  })

  it('is different each time, and contains no part of the secret', () => {
    const box = createSecretBox(DATABASE_KEY, undefined)
    const sealed = Array.from({ length: 100 }, () => box.seal('ada', SECRET))
    assert.equal(new Set(sealed).size, 100)
    for (const text of sealed) {
      assert.ok(!Buffer.from(text.split('.')[1] ?? '', 'base64url').includes(SECRET.subarray(0, 4)))
    }
  })

  it('does not open for another context', () => {
    const box = createSecretBox(DATABASE_KEY, undefined)
    assert.throws(() => box.open('eve', box.seal('ada', SECRET)))
  })

  it('does not open when any byte of it has changed, or a part is missing', () => {
    const box = createSecretBox(DATABASE_KEY, undefined)
    const [version, text = ''] = box.seal('ada', SECRET).split('.')
    const bytes = Buffer.from(text, 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      assert.throws(() => box.open('ada', `${version}.${changed.toString('base64url')}`))
      assert.throws(() => box.open('ada', `${version}.${bytes.subarray(0, at).toString('base64url')}`))
    }
    for (const wrong of ['', '.', 'd', 'd.', text]) assert.throws(() => box.open('ada', wrong))
  })

  it('from before ENCRYPTION_KEY was set stays readable after it', () => {
    const sealed = createSecretBox(DATABASE_KEY, undefined).seal('ada', SECRET)
    assert.deepEqual(createSecretBox(DATABASE_KEY, SETTING).open('ada', sealed), SECRET)
  })

  it('does not open with the key of the database alone, or with another ENCRYPTION_KEY', () => {
    const sealed = createSecretBox(DATABASE_KEY, SETTING).seal('ada', SECRET)
    for (const setting of [undefined, randomBytes(32)]) {
      assert.throws(() => createSecretBox(DATABASE_KEY, setting).open('ada', sealed), /another ENCRYPTION_KEY/)
    }
    assert.throws(() => createSecretBox(randomBytes(32), SETTING).open('ada', sealed))
    assert.throws(() => createSecretBox(DATABASE_KEY, undefined).open('ada', sealed.replace(/^\w+/, 'd')))
  })
})
