import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createResponseSerializer } from '../../src/http/response-serializer.ts'
import { nullable, Type } from '../../src/http/schema.ts'

const shaped = createResponseSerializer(
  Type.Object({
    name: Type.String(),
    born: nullable(Type.String()),
    home: Type.Optional(Type.Object({ city: Type.String() })),
    friends: Type.Array(Type.Object({ name: Type.String(), 'it\'s "odd"': Type.Boolean() })),
  }),
)

describe('the shape of a response', () => {
  it('has the fields of its schema, and nothing else at any depth', () => {
    const friend = { name: 'Charles', 'it\'s "odd"': false, password: 'secret' }
    const whole = {
      name: 'Ada',
      born: '1815',
      home: { city: 'London', key: 'secret' },
      friends: [friend],
      hash: 'secret',
    }
    assert.deepEqual(JSON.parse(JSON.stringify(shaped(whole))), {
      name: 'Ada',
      born: '1815',
      home: { city: 'London' },
      friends: [{ name: 'Charles', 'it\'s "odd"': false }],
    })
  })

  it('leaves out undefined fields, and keeps null', () => {
    assert.equal(
      JSON.stringify(shaped({ name: 'Ada', born: null, friends: [] })),
      '{"name":"Ada","born":null,"friends":[]}',
    )
    assert.deepEqual(shaped({ name: 'Ada', born: null, home: null, friends: null }), {
      name: 'Ada',
      born: null,
      home: null,
      friends: null,
    })
  })
})
