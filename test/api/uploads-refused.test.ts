import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { everythingStored, someone } from '../support/accounts.ts'
import { type ApiResponse, assertRefused, assertSucceeded, fieldsOf, type Person, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { FILE_PART, filePart, WIRE_FORM, wireForm } from '../support/hostile-input.ts'
import { listenOnLoopback } from '../support/local-servers.ts'
import { ANY_PICTURE, newAvatar, quarters, sendForm, UPRIGHT, upload, uploaded } from '../support/pictures.ts'
import { onBothEngines } from '../support/service.ts'

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
const cut = (file: Buffer) => file.subarray(0, file.length * 0.6)
const NOT_PICTURES: Record<string, () => Promise<Buffer> | string> = {
  text: () => 'just words',
  'a page': () => '<!doctype html><title>x</title><script>alert(1)</script>',
  'an SVG': () => SVG,
  'an SVG with an XML declaration': () => `<?xml version="1.0"?>\n${SVG}`,
  'a document': () => '%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF',
  'a TIFF': () => quarters(UPRIGHT).tiff().toBuffer(),
  'a portable pixmap': () => 'P3 1 1 255 255 0 0 ',
  'the address of a picture': () => 'https://example.com/me.png',
  'the mere signature of a PNG': async () => ANY_PICTURE.subarray(0, 8),
  'a truncated PNG': async () => cut(await quarters(UPRIGHT).png().toBuffer()),
  'a truncated JPEG': async () => cut(await quarters(UPRIGHT).jpeg().toBuffer()),
  'a truncated WebP': async () => cut(await quarters(UPRIGHT).webp().toBuffer()),
  'a truncated AVIF': async () => cut(await quarters(UPRIGHT).avif({ effort: 0 }).toBuffer()),
  'a truncated GIF': async () => cut(await quarters(UPRIGHT).gif().toBuffer()),
}

function assertNotValid(response: ApiResponse, field: string): void {
  assertRefused(response, 400, 'Validation failed')
  assert.deepEqual(Object.keys(fieldsOf(response)), [field])
}

describe('POST /api/uploads', () => {
  onBothEngines((service) => {
    let person: Person
    before(async () => {
      person = await someone(service)
      await newAvatar(service, person)
      await uploaded(service, person)
    })
    const sendWire = (body: Buffer | string, headers: Record<string, string> = WIRE_FORM) =>
      post(service, '/api/uploads', body, { as: person, headers })

    /** No picture and no other row was added, changed or deleted. */
    async function nothingIsStoredBy(send: () => Promise<void>): Promise<void> {
      const stored = await everythingStored(service)
      await send()
      assert.deepEqual(await everythingStored(service), stored)
    }

    for (const [what, make] of Object.entries(NOT_PICTURES)) {
      it(`refuses ${what}`, () =>
        nothingIsStoredBy(async () => {
          const response = await upload(service, person, Buffer.from(await make()))
          assertNotValid(response, 'file')
          assert.equal(fieldsOf(response).file, 'File must be a picture: PNG, JPEG, WebP, AVIF or GIF')
        }))
    }

    it('reads no path or URL that a file or a text names', async (t) => {
      let requests = 0
      const listener = await listenOnLoopback((_request, response) => {
        requests += 1
        response.end(ANY_PICTURE)
      })
      cleanUp(t, () => listener.close())
      const bait = `${listener.url}/bait.png`
      const drawing = (start: string, inner: string) =>
        `${start}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ` +
        `width="9" height="9">${inner}</svg>`
      const files = [
        drawing('', `<image href="${bait}" xlink:href="${bait}" width="9" height="9"/>`),
        drawing(`<?xml-stylesheet href="${bait}"?>`, `<style>@import url(${bait})</style><use href="${bait}#a"/>`),
        drawing(`<!DOCTYPE svg [<!ENTITY x SYSTEM "${bait}">]>`, '<text>&x;</text>'),
        drawing('<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>', '<text>&x;</text>'),
        `push graphic-context\nimage over 0,0 9,9 '${bait}'\npop graphic-context`,
      ]
      await nothingIsStoredBy(async () => {
        for (const file of files) assertNotValid(await upload(service, person, Buffer.from(file)), 'file')
        for (const file of [bait, '/etc/passwd', 'file:///etc/passwd', import.meta.filename, '']) {
          assertNotValid(await sendForm(service, { file }, { as: person }), 'file')
          assertNotValid(await post(service, '/api/uploads', { file }, { as: person }), 'file')
        }
      })
      assert.equal(requests, 0)
      // A connection to the bait server would be counted.
      await (await fetch(bait)).bytes()
      assert.equal(requests, 1)
    })

    it('refuses a form without a file in it', () =>
      nothingIsStoredBy(async () => {
        const forms: Record<string, Uint8Array | string>[] = [{}, { file: Buffer.alloc(0) }, { picture: ANY_PICTURE }]
        const responses = [
          ...(await Promise.all(forms.map((form) => sendForm(service, form, { as: person })))),
          // Sent by a browser for a form in which no file was chosen.
          await sendWire(wireForm('Content-Disposition: form-data; name="file"; filename=""\r\n\r\n')),
          await post(service, '/api/uploads', {}, { as: person }),
          await post(service, '/api/uploads', undefined, { as: person }),
        ]
        for (const response of responses) {
          assertNotValid(response, 'file')
          assert.equal(fieldsOf(response).file, 'File is required')
        }
      }))

    it('refuses a body that is not a form, or does not match its Content-Type', async () => {
      const form = wireForm(filePart(ANY_PICTURE))
      await nothingIsStoredBy(async () => {
        const cutShort = [form.subarray(0, -8), form.subarray(0, -100), `--b\r\n${FILE_PART}`, '--b']
        const strange = [wireForm('No-Disposition: x\r\n\r\nx'), wireForm('\r\n\r\n'), wireForm('x'), 'words', '{}']
        for (const body of [...cutShort, ...strange]) assertNotValid(await sendWire(body), 'body')
        for (const type of [
          'multipart/form-data',
          'multipart/form-data; boundary=',
          'multipart/form-data; boundary=other',
          'multipart/mixed; boundary=b',
          'application/x-www-form-urlencoded',
          'application/octet-stream',
          'image/png',
          'text/plain',
          'application/json',
        ]) {
          assertNotValid(await sendWire(form, { 'content-type': type }), 'body')
        }
      })
      assertSucceeded(await sendWire(form), 201)
    })

    it('ignores fields of unknown names, also those of prototype properties', async () => {
      const named = (name: string) =>
        sendWire(wireForm(`Content-Disposition: form-data; name="${name}"\r\n\r\nx`, filePart(ANY_PICTURE)))
      for (const name of ['__proto__', 'constructor', 'prototype', 'toString', '__proto__[isAdmin]', '']) {
        assertSucceeded(await named(name), 201)
      }
      assert.equal('isAdmin' in {}, false)
    })
  })
})
