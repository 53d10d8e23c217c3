import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSiteReader } from '../../src/publishing/mcp/site-reader.ts'
import type { Publisher } from '../../src/publishing/publisher.ts'

const publisher = { frame: () => ({ site: { search: false } }) } as unknown as Publisher

describe('the description of an API for agents', () => {
  it('has no references, and is made once for all calls', () => {
    const responses = { 404: { $ref: '#/components/responses/NotFound' } }
    const description = {
      paths: { '/a': { get: { responses } } },
      components: { responses: { NotFound: { description: 'Not found' } } },
    }
    const descriptions = { keys: () => new Map<string, object>().keys(), get: () => description }
    const first = createSiteReader(publisher, descriptions).describe('account')
    assert.deepEqual(first.paths, { '/a': { get: { responses: { 404: { description: 'Not found' } } } } })
    assert.equal(createSiteReader(publisher, descriptions).describe('account'), first)
  })
})
