import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import TypeBox from 'typebox'
import { Type } from '../../src/http/schema.ts'

/** A schema of every kind, made with these builders. */
function everything(T: typeof Type) {
  const Small = T.Object({ first: T.String({ minLength: 1 }), second: T.Optional(T.Integer({ minimum: 0 })) })
  return T.Object(
    {
      list: T.Array(T.String({ format: 'uuid' }), { maxItems: 3 }),
      flag: T.Boolean({ description: 'Yes or no' }),
      word: T.Enum(['one', 'other'], { 'x-message': 'One of the two' }),
      small: T.Optional(Small),
      part: T.Partial(Small, { 'x-part': true }),
      pick: T.Pick(Small, ['second']),
      other: T.Pick(Small, ['first']),
      empty: T.Object({}),
    },
    { description: 'Everything' },
  )
}

describe('the schema builders', () => {
  it('build the same schemas as TypeBox', () => {
    const ours = JSON.parse(JSON.stringify(everything(Type)))
    assert.deepEqual(ours, JSON.parse(JSON.stringify(everything(TypeBox))))
    assert.deepEqual(ours.required.length, 7)
  })

  it('are the only part of TypeBox that a start loads', () => {
    const folder = new URL('../../src', import.meta.url)
    const importing = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      .filter((file) => /import (?!type ).* from 'typebox/.test(readFileSync(file, 'utf8')))
    assert.deepEqual(importing, [])
  })
})
