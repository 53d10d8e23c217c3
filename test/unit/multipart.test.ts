import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { multipartParser } from '../../src/http/multipart.ts'
import { Refusal } from '../../src/http/refusal.ts'
import { FILE_PART, WIRE_FORM, wireForm } from '../support/hostile-input.ts'

const MAX_FIELD_BYTES = 64 * 1024
const MAX_FILE_BYTES = 5 * 1024 * 1024

/** The fields of a body, or the message of its refusal. */
function parse(body: Buffer, contentType = WIRE_FORM['content-type']): unknown {
  try {
    return { ...(multipartParser.parse(body, contentType) as object) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.errors?.[0]?.message ?? error.message
  }
}

const field = (name: string, value: string) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`
const MALFORMED = 'The request body must be multipart/form-data as its header says'
const TOO_MANY = 'The form has too many or too large parts'

describe('a multipart body', () => {
  it('of any fields and files that Node writes is parsed to the same fields', async () => {
    const name = fc
      .string({ minLength: 1, maxLength: 20 })
      .filter((text) => !/["\r\n\\]/.test(text) && text !== '__proto__')
    const value = fc.oneof(fc.string(), fc.uint8Array({ minLength: 1, maxLength: 3000 }))
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 10 }), async (fields) => {
        const form = new FormData()
        for (const [name, value] of Object.entries(fields)) {
          if (typeof value === 'string') form.set(name, value)
          else form.set(name, new Blob([value as Uint8Array<ArrayBuffer>]), 'a.png')
        }
        const written = new Response(form)
        const read = parse(Buffer.from(await written.bytes()), written.headers.get('content-type') ?? '')
        const expected = Object.entries(fields).map(([name, value]) => [
          name,
          // Node writes every line break of a text as CRLF, as the HTML standard says.
          typeof value === 'string' ? value.replace(/\r\n|\r|\n/g, '\r\n') : Buffer.from(value),
        ])
        assert.deepEqual(read, Object.fromEntries(expected))
      }),
      { numRuns: 200 },
    )
  })

  it('may have text before its first and after its last part', () => {
    const body = Buffer.concat([Buffer.from('before\r\n'), wireForm(field('a', '1')), Buffer.from('after')])
    assert.deepEqual(parse(body), { a: '1' })
  })

  it('without a part is an empty form', () => assert.deepEqual(parse(wireForm()), {}))

  it('leaves out a file without content', () => assert.deepEqual(parse(wireForm(`${FILE_PART}\r\n`)), {}))

  it('that ends anywhere before its closing delimiter is refused', () => {
    const whole = wireForm(field('a', 'one'), `${FILE_PART}\r\nxyz`, field('b', 'two')).subarray(0, -'\r\n'.length)
    assert.deepEqual(parse(whole), { a: 'one', file: Buffer.from('xyz'), b: 'two' })
    for (let length = 0; length < whole.length; length++) {
      assert.equal(parse(whole.subarray(0, length)), MALFORMED, `of ${length} bytes`)
    }
  })

  it('is refused when a part has no name, no headers, or more than the boundary on its line', () => {
    for (const part of ['Content-Disposition: form-data\r\n\r\nx', '\r\nx', `\r\n${field('a', 'x')}`]) {
      assert.equal(parse(wireForm(part)), MALFORMED)
    }
    assert.equal(parse(Buffer.from(`--bc\r\n${field('a', 'x')}\r\n--b--`)), MALFORMED)
  })

  it('has the name of a field in no other parameter', () => {
    const disposition = (text: string) => parse(wireForm(`Content-Disposition: form-data; ${text}\r\n\r\nx`))
    assert.deepEqual(disposition('filename="; name=\\"a"; name="b"'), { b: Buffer.from('x') })
    assert.equal(disposition('filename="; name=\\"a"'), MALFORMED)
    assert.deepEqual(disposition('NAME=plain'), { plain: 'x' })
  })

  it('has no field that is not UTF-8', () => {
    assert.equal(parse(wireForm(Buffer.concat([Buffer.from(field('a', '')), Buffer.from([0xff])]))), MALFORMED)
  })

  it('has up to 16 parts, 4 KiB of headers for each, fields of 64 KiB and files of 5 MiB', () => {
    const many = (count: number) => wireForm(...Array.from({ length: count }, (_, number) => field(`f${number}`, '')))
    assert.equal(Object.keys(parse(many(16)) as object).length, 16)
    assert.equal(parse(many(17)), TOO_MANY)
    const padded = (bytes: number) => wireForm(`X-Padding: ${'x'.repeat(bytes)}\r\n${field('a', 'x'.repeat(5000))}`)
    assert.deepEqual(Object.keys(parse(padded(4000)) as object), ['a'])
    assert.equal(parse(padded(4096)), TOO_MANY)
    assert.equal((parse(wireForm(field('a', 'x'.repeat(MAX_FIELD_BYTES)))) as { a: string }).a.length, MAX_FIELD_BYTES)
    assert.equal(parse(wireForm(field('a', 'x'.repeat(MAX_FIELD_BYTES + 1)))), 'Request body is too large')
    const file = (bytes: number) => wireForm(`${FILE_PART}\r\n${'x'.repeat(bytes)}`)
    assert.equal((parse(file(MAX_FILE_BYTES)) as { file: Buffer }).file.length, MAX_FILE_BYTES)
    assert.equal(parse(file(MAX_FILE_BYTES + 1)), 'Request body is too large')
  })

  it('cannot set the prototype of the fields', () => {
    const fields = multipartParser.parse(wireForm(field('__proto__', 'x')), WIRE_FORM['content-type']) as object
    assert.equal(Object.getPrototypeOf(fields), null)
    assert.deepEqual(Object.keys(fields), ['__proto__'])
  })
})
