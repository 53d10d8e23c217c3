import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { UPPERCASE_LETTER } from '../../src/accounts/uppercase-letter.ts'
import { SECURITY_EVENT_TYPES } from '../../src/database/security-event-types.ts'
import { dereference } from '../../src/http/openapi-references.ts'
import { newEmail, post, registration } from '../support/api.ts'
import { DOCUMENTS, FORMATS, readDocument, type Schema, sentDocument } from '../support/api-description.ts'
import { cleanUp } from '../support/clean-up.ts'
import { onBothEngines, type Service, startService } from '../support/service.ts'

interface Content {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

interface Described {
  parameters?: { name: string; schema: Schema; example?: unknown }[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, { content?: Record<string, Content> }>
}

/** Every object of a document that satisfies a test, with its place. */
function* within(value: unknown, place = ''): Generator<[place: string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  yield [place, value as Record<string, unknown>]
  for (const [name, part] of Object.entries(value)) yield* within(part, `${place}/${name}`)
}

function operationsOf(document: { paths: Record<string, Record<string, Described>> }): [string, Described][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Described] => [`${method} ${path}`, operation]),
  )
}

async function bodySchema({ url }: { url: string }, path: string): Promise<Schema> {
  const { paths } = await readDocument({ url })
  return paths[path].post.requestBody.content['application/json'].schema
}

/** Whether the description allows a value of a field, by its standard keywords alone. */
function allows(schema: Schema | undefined, value: unknown): boolean {
  return new Ajv2020({ strict: false, formats: FORMATS }).validate(schema ?? false, value)
}

describe('the rules in the API descriptions', () => {
  onBothEngines((service) => {
    it('have patterns that mean the same in every language', async () => {
      for (const path of DOCUMENTS) {
        const body = dereference(await sentDocument(service, path))
        for (const [place, { pattern }] of within(body)) {
          if (typeof pattern !== 'string') continue
          // `\d`, `\s` and `\w` differ between languages; `\p` and look-around are not in all of them.
          assert.doesNotMatch(pattern, /\\[dswpPDSWbBk]|\(\?[=!<]/, place)
          for (const flags of ['', 'u']) assert.doesNotThrow(() => new RegExp(pattern, flags), place)
        }
      }
    })

    it('have an example of every body, parameter and response, valid by its own schema', async () => {
      for (const path of DOCUMENTS) {
        const document = dereference(await sentDocument(service, path))
        const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { ...FORMATS, binary: true } })
        const assertValid = (schema: Schema, example: unknown, place: string) => {
          assert.notEqual(example, undefined, `${place} has no example`)
          const validate = ajv.compile(schema)
          assert.ok(validate(example), `${place}: ${ajv.errorsText(validate.errors)}`)
        }
        for (const [name, { parameters = [], requestBody, responses }] of operationsOf(document)) {
          for (const parameter of parameters)
            assertValid(parameter.schema, parameter.example, `${name} ${parameter.name}`)
          const contents = [['body', requestBody], ...Object.entries(responses)] as [string, Described['requestBody']][]
          for (const [part, described] of contents) {
            for (const { schema, example, examples = {} } of Object.values(described?.content ?? {})) {
              const values = example === undefined ? Object.values(examples).map(({ value }) => value) : [example]
              assert.ok(values.length > 0, `${name} ${part} has no example`)
              for (const value of values) assertValid(schema, value, `${name} ${part}`)
            }
          }
        }
      }
    })

    it('allow an e-mail address exactly when it is accepted', async () => {
      const { properties } = await bodySchema(service, '/api/forgot-password')
      const address = newEmail()
      for (const email of [
        ...['.+a@8.do', 'a..b@example.com', 'a.@example.com', address, ` ${address}\t\n`, address.toUpperCase()],
        ...[
          `\u3000${address}\ufeff`,
          'a@b',
          'a@-b.de',
          'a b@example.com',
          '"a"@example.com',
          'a@b..de',
          '\u212a@example.com',
        ],
        ...['é@example.com', 'a@example.com\0', `${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.de`, '', ' '],
        ...[
          `a@${'b'.repeat(62)}.${'c'.repeat(62)}.${'d'.repeat(62)}.${'e'.repeat(61)}.de`,
          `${' '.repeat(255)}${address}`,
        ],
      ]) {
        const { status } = await post(service, '/api/forgot-password', { email })
        assert.equal(status === 200, allows(properties?.email, email), JSON.stringify(email))
      }
    })

    it('allow names and lines exactly when they are accepted', async () => {
      const { properties } = await bodySchema(service, '/api/create-account')
      for (const firstName of [
        ...['Ada', ' Ada ', '\n\tAda\u2028', 'A', ' ', '', '\u00a0', 'A\u0007da', 'A\u0085', 'A\nda', 'A\u2028da'],
        ...['😀'.repeat(50), '😀'.repeat(51), ' '.repeat(60), `A${' '.repeat(48)}a`, 'A\ufeff', 'Zoë O’Neill-王'],
      ]) {
        const response = await post(service, '/api/create-account', { firstName })
        const refused = response.body.errors.some(({ field }: { field: string }) => field === 'firstName')
        assert.equal(!refused, allows(properties?.firstName, firstName), JSON.stringify(firstName))
      }
    })

    it('list every type of security event', async () => {
      const { paths } = await readDocument(service)
      const { data } = paths['/api/security-events'].get.responses[200].content['application/json'].schema.properties
      assert.deepEqual(data.properties.events.items.properties.type.enum, SECURITY_EVENT_TYPES)
    })
  })

  it('include every uppercase letter of the Basic Multilingual Plane', () => {
    const pattern = new RegExp(UPPERCASE_LETTER)
    for (let code = 0; code <= 0xffff; code++) {
      const character = String.fromCharCode(code)
      assert.equal(pattern.test(character), /\p{Lu}/u.test(character), `U+${code.toString(16)}`)
    }
  })

  const PASSWORDS = [
    ...['Horses-7', 'Horse-7', 'correct-horse-7', 'жёлтый-Дом', 'Łódź-jest-ok', `A${'🐎'.repeat(127)}`, 'ABCDEFGH\0'],
    ...[`A${'🐎'.repeat(128)}`, 'seven-red-boats', 'a quiet river at dusk', 'x'.repeat(14), '', 'A\u0301bcdefgh'],
  ]
  for (const policy of ['basic', 'nist']) {
    it(`allow a new password exactly when it is accepted, by the policy ${policy}`, async (t) => {
      const service: Service = await startService('sqlite', { PASSWORD_POLICY: policy })
      cleanUp(t, () => service.close())
      const schema = await bodySchema(service, '/api/create-account')
      for (const password of PASSWORDS) {
        const person = { ...registration(), password, confirmPassword: password }
        const { status } = await post(service, '/api/create-account', person)
        assert.equal(status === 201, allows(schema.properties?.password, password), JSON.stringify(password))
      }
    })
  }
})
