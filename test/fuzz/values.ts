import fc from 'fast-check'
import { PASSWORD } from '../support/api.ts'
import type { Schema } from '../support/api-description.ts'
import { HARMLESS_URLS } from '../support/hostile-input.ts'
import { anyText, nastyValue } from './nasty.ts'
import { placeholderOf } from './people.ts'

/** Values for a schema: half of them valid, so that requests pass validation, and half with a defect. */
export function valueFor(schema: Schema, field = ''): fc.Arbitrary<unknown> {
  return fc.oneof(fitting(schema, field, fitting), loose(schema, field))
}

type Inner = (schema: Schema, field: string) => fc.Arbitrary<unknown>

/** Now and then a value of another type, at any depth. */
function loose(schema: Schema, field: string): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 8, arbitrary: fitting(schema, field, loose) },
    { weight: 1, arbitrary: schema.type === 'string' ? nearly(schema) : nastyValue },
    { weight: 1, arbitrary: nastyValue },
  )
}

function fitting(schema: Schema, field: string, inner: Inner | typeof fitting = fitting): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => fitting({ ...schema, type }, field, inner)))
  }
  switch (schema.type) {
    case 'object':
      return objectFor(schema, inner)
    case 'array':
      return fc.array(inner(schema.items ?? {}, field), { maxLength: 3 })
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1000 })
    case 'boolean':
      return fc.boolean()
    case 'string':
      return textFor(schema, field)
    default:
      return fc.constant(null)
  }
}

/** Required fields nearly always, the others half of the time, and sometimes an unknown one. */
function objectFor({ properties = {}, required = [] }: Schema, inner: Inner): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const often = required.includes(name) ? 50 : 1
    return fc
      .oneof(
        { withCrossShrink: true },
        { weight: 1, arbitrary: fc.constant(undefined) },
        { weight: often, arbitrary: inner(schema, name).map((value) => ({ value })) },
      )
      .map((given) => (given ? [[name, given.value] as const] : []))
  })
  const stray = fc.option(fc.tuple(strayName, nastyValue), { freq: 10, nil: undefined })
  const isConfirmed = fc.integer({ min: 0, max: 9 }).map((number) => number < 9)
  return fc.tuple(fc.tuple(...fields), stray, isConfirmed).map(([given, other, confirmed]) => {
    // Without a prototype of its own, so that "__proto__" is a key like any other.
    const object = Object.assign(Object.create(null), Object.fromEntries(given.flat())) as Record<string, unknown>
    for (const [name, schema] of Object.entries(properties)) {
      const same = schema['x-same-as']
      if (confirmed && same && name in object) object[name] = object[same]
    }
    if (other) object[other[0]] = other[1]
    return object
  })
}

const strayName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', '_id', 'id', 'isAdmin', 'passwordHash', 'hasPassword', ''),
  anyText(0, 20),
)

function textFor(
  { format = '', pattern, minLength = 0, maxLength = 300 }: Schema,
  field: string,
): fc.Arbitrary<string> {
  const known = BY_FIELD[field] ?? BY_FORMAT[format]
  if (known) return known
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength
  const text = pattern ? fc.stringMatching(new RegExp(pattern, 'u')) : fc.string({ minLength, maxLength: 60 })
  return fc.oneof(text.filter(fits), fc.constantFrom('Ada', 'ada', 'Łódź', '東京', "O'Neil").filter(fits))
}

/** At the bounds of the allowed values, and beyond them. */
function nearly({ minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> {
  const lengths = [minLength - 1, minLength, maxLength, maxLength + 1].filter((length) => length >= 0)
  return fc.oneof(
    fc.constantFrom(...lengths).map((length) => 'A'.repeat(length)),
    anyText(0, 60),
  )
}

const code = fc.oneof(placeholderOf('CODE'), fc.stringMatching(/^\d{6}$/))
/** Values that mean something to the service. */
const BY_FIELD: Record<string, fc.Arbitrary<string>> = {
  email: fc.oneof({ weight: 3, arbitrary: placeholderOf('EMAIL') }, { weight: 1, arbitrary: unverifiedEmail() }),
  sessionId: placeholderOf('SESSION'),
  'x-session-id': placeholderOf('SESSION'),
  refreshToken: placeholderOf('REFRESH'),
  verificationCode: code,
  resetToken: code,
}
const BY_FORMAT: Record<string, fc.Arbitrary<string>> = {
  password: fc.oneof({ weight: 9, arbitrary: fc.constant(PASSWORD) }, { weight: 1, arbitrary: anyText(8, 130) }),
  uri: fc.oneof(fc.constantFrom(...HARMLESS_URLS), fc.webUrl({ withQueryParameters: true, withFragments: true })),
  'date-time': fc.oneof(
    fc
      .date({ noInvalidDate: true, min: new Date('1850-01-01'), max: new Date('2020-01-01') })
      .map((date) => date.toISOString()),
    fc.stringMatching(/^(18|19|20)\d\d-[01]\d-[0-3]\d(T[0-2]\d:[0-5]\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?$/),
  ),
}

function unverifiedEmail(): fc.Arbitrary<string> {
  return fc.stringMatching(/^[a-z0-9]{10}$/).map((name) => `${name}@example.com`)
}
