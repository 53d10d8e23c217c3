import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { ownProfile } from '../support/accounts.ts'
import { assertRefused, assertSucceeded, eventTypes, fieldsOf, type Person, post, signUp } from '../support/api.ts'
import { HARMLESS_URLS, HOSTILE_URLS } from '../support/hostile-input.ts'
import { onBothEngines } from '../support/service.ts'

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
// The table is made when the file is loaded, so the test may run on the day after.
const dayAfterTomorrow = () => new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10)
const socialAccount = (overrides: object) => ({ provider: 'forge', url: 'https://example.com/grace', ...overrides })
const social = (overrides: object) => ({ socialAccounts: [socialAccount(overrides)] })

const REFUSED: [string, unknown, string][] = [
  ['an empty first name', { firstName: '  ' }, 'firstName'],
  ['an empty last name', { lastName: ' ' }, 'lastName'],
  ['a last name of 51 characters', { lastName: 'x'.repeat(51) }, 'lastName'],
  ['null for a name', { firstName: null }, 'firstName'],
  ['a bio of 501 characters', { bio: 'x'.repeat(501) }, 'bio'],
  ['a bio with a control character', { bio: 'bell \u0007' }, 'bio'],
  ['an object for a bio', { bio: { $ne: 1 } }, 'bio'],
  ['a city of 121 characters', { location: { city: 'x'.repeat(121) } }, 'location.city'],
  ['a street of two lines', { location: { address: 'one\ntwo' } }, 'location.address'],
  ['a number for a postal code', { location: { zipCode: 8001 } }, 'location.zipCode'],
  ['a text for a location', { location: 'London' }, 'location'],
  ['null for a location', { location: null }, 'location'],
  ['21 social accounts', { socialAccounts: Array.from({ length: 21 }, socialAccount) }, 'socialAccounts'],
  ['an object for social accounts', { socialAccounts: socialAccount({}) }, 'socialAccounts'],
  ['an empty provider', social({ provider: ' ' }), 'socialAccounts.0.provider'],
  ['a provider of 41 characters', social({ provider: 'x'.repeat(41) }), 'socialAccounts.0.provider'],
  ['a social account without a url', social({ url: undefined }), 'socialAccounts.0.url'],
  ['a url of 2049 characters', social({ url: `${HARMLESS_URLS.at(-1)}a` }), 'socialAccounts.0.url'],
  ['a list for a url', social({ url: ['https://example.com'] }), 'socialAccounts.0.url'],
  ['a theme in upper case', { preferences: { theme: 'Dark' } }, 'preferences.theme'],
  ['a font that would end a style', { preferences: { font: 'mono;}' } }, 'preferences.font'],
  ['an empty theme', { preferences: { theme: '' } }, 'preferences.theme'],
  ['a long theme', { preferences: { theme: 'x'.repeat(100) } }, 'preferences.theme'],
  ['a birthday the day after tomorrow', { dob: dayAfterTomorrow() }, 'dob'],
  ['a birth in an hour', { dob: inAnHour() }, 'dob'],
  ['the 30th of February', { dob: '1990-02-30' }, 'dob'],
  ['the 29th of February of a common year', { dob: '2001-02-29T10:00:00Z' }, 'dob'],
  ['a 13th month', { dob: '1990-13-01' }, 'dob'],
  ['a 25th hour', { dob: '1990-12-31T25:00:00Z' }, 'dob'],
  ['a date in another notation', { dob: '31.12.1990' }, 'dob'],
  ['a number for a date', { dob: 631152000000 }, 'dob'],
  ['a bio with a lone surrogate', String.raw`{"bio":"\ud800"}`, 'bio'],
  ['a bio with a NUL', String.raw`{"bio":"a\u0000b"}`, 'bio'],
  ['a city with a lone surrogate', String.raw`{"location":{"city":"\udc00\ud800"}}`, 'location.city'],
  ['a list', [{ bio: 'x' }], 'body'],
  ...HOSTILE_URLS.map((url): [string, unknown, string] => [
    `the url ${JSON.stringify(url)}`,
    social({ url }),
    'socialAccounts.0.url',
  ]),
]

const ACCEPTED: [string, Record<string, unknown>][] = [
  ['a bio of 500 characters, however wide', { bio: '😀'.repeat(500) }],
  ['an empty bio', { bio: '' }],
  ['a city of 120 characters', { location: { city: 'ü'.repeat(120) } }],
  ['20 social accounts', { socialAccounts: Array.from({ length: 20 }, () => socialAccount({})) }],
  ['no social accounts', { socialAccounts: [] }],
  ['a provider of 40 characters', social({ provider: 'x'.repeat(40) })],
  ['a theme of its own', { preferences: { theme: 'high-contrast' } }],
  ['no date of birth', { dob: null }],
  ...HARMLESS_URLS.map((url): [string, Record<string, unknown>] => [`the url ${url.slice(0, 60)}`, social({ url })]),
]

const DATES: [string, string][] = [
  ['1990-12-31', '1990-12-31T00:00:00.000Z'],
  ['2000-02-29', '2000-02-29T00:00:00.000Z'],
  ['1990-12-31T10:20:30.456Z', '1990-12-31T10:20:30.456Z'],
  ['1990-12-31T23:30:00-01:00', '1991-01-01T00:30:00.000Z'],
  ['1990-12-31T10:20:30', '1990-12-31T10:20:30.000Z'],
]

describe('user-details, by its rules', () => {
  onBothEngines((service) => {
    const update = (as: Person, body: unknown) => post(service, '/api/user-details', body, { as })
    const rowOf = ({ userId }: Person) => service.portico.store.findById(userId)
    let person: Person
    before(async () => {
      person = await signUp(service)
      await update(person, { bio: 'as it was', dob: '1990-12-31', location: { city: 'London' }, ...social({}) })
    })

    for (const [what, body, field] of REFUSED) {
      it(`refuses ${what}, and changes nothing`, async () => {
        const [row, events] = [await rowOf(person), await eventTypes(service, person)]
        const response = await update(person, body)
        assertRefused(response, 400, 'Validation failed')
        assert.deepEqual(Object.keys(fieldsOf(response)), [field])
        assert.deepEqual(await rowOf(person), row)
        assert.deepEqual(await eventTypes(service, person), events)
      })
    }

    it('stores nothing of a body with one invalid field', async () => {
      const row = await rowOf(person)
      const response = await update(person, { bio: 'new', firstName: '', dob: 'never', location: { city: 7 } })
      assertRefused(response, 400, 'Validation failed')
      assert.deepEqual(Object.keys(fieldsOf(response)).sort(), ['dob', 'firstName', 'location.city'])
      assert.deepEqual(await rowOf(person), row)
    })

    for (const [what, body] of ACCEPTED) {
      it(`accepts ${what}`, async () => {
        const { location, preferences, ...profile } = await ownProfile(service, person)
        assertSucceeded(await update(person, body))
        assert.deepEqual(await ownProfile(service, person), {
          ...profile,
          ...body,
          location: { ...location, ...(body.location ?? {}) },
          preferences: { ...preferences, ...(body.preferences ?? {}) },
        })
      })
    }

    for (const [given, shown] of DATES) {
      it(`shows a birth at ${given} as ${shown}`, async () => {
        assertSucceeded(await update(person, { dob: given }))
        assert.equal((await ownProfile(service, person)).dob, shown)
      })
    }
  })
})
