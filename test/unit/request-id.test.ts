import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newRequestId } from '../../src/http/request-id.ts'

describe('the id of a request', () => {
  const ids = Array.from({ length: 1000 }, newRequestId)

  it('is a UUID of version 4', () => {
    for (const id of ids) assert.match(id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  })

  it('is used for one request only', () => {
    assert.equal(new Set(ids).size, ids.length)
  })
})
