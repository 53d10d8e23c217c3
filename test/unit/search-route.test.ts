import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { DEFAULT_SITE } from '../../src/content/site.ts'
import { tcpListener } from '../../src/http/listener.ts'
import { HttpServer } from '../../src/http/server.ts'
import type { Frame } from '../../src/pages/layout.ts'
import { respondToMessage } from '../../src/publishing/mcp/endpoint.ts'
import { createSiteReader } from '../../src/publishing/mcp/site-reader.ts'
import type { Publisher } from '../../src/publishing/publisher.ts'
import { serveSearch } from '../../src/publishing/search-route.ts'
import { cleanUp } from '../support/clean-up.ts'
import { logTo } from '../support/service.ts'

const MESSAGE = 'The search is being prepared'
const FRAME: Frame = {
  site: DEFAULT_SITE,
  baseUrl: 'https://site.example',
  stylesheets: { public: '/a.css', account: '/b.css', full: '/c.css' },
  icon: '/favicon.svg',
}

/** A publisher whose search is not ready. */
const publisher = { frame: () => FRAME, search: async () => undefined } as unknown as Publisher

async function serve(t: TestContext): Promise<string> {
  const server = new HttpServer({
    defaultHeaders: {},
    log: logTo(() => {}),
    onNotFound: async () => {},
    ipOf: () => '203.0.113.9',
    onError: (error) => assert.fail(error as Error),
  })
  serveSearch(server, {
    upToDate: async () => publisher,
    visitorOf: async () => undefined,
    rateLimitGuard: async () => {},
  })
  const url = await server.listen(tcpListener({ host: '127.0.0.1', port: 0 }))
  cleanUp(t, () => server.close())
  return url
}

describe('a search that is not ready', () => {
  for (const { path, accept, type } of [
    { path: '/search?q=a', accept: 'text/html', type: 'text/html' },
    { path: '/search?q=a', accept: 'text/markdown', type: 'text/markdown' },
    { path: '/search.md?q=a', accept: '*/*', type: 'text/markdown' },
    { path: '/search?q=a', accept: 'application/json', type: 'application/json' },
    { path: '/search.json?q=a', accept: '*/*', type: 'application/json' },
  ]) {
    it(`is a 503 with the seconds to wait at ${path} as ${type}, and is not stored`, async (t) => {
      const response = await fetch((await serve(t)) + path, { headers: { accept } })
      const { status, headers } = response
      const text = await response.text()
      assert.equal(status, 503)
      assert.equal(headers.get('retry-after'), '5')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('content-type')?.split(';')[0], type)
      assert.ok(text.includes(MESSAGE), text)
      if (type === 'application/json') assert.equal(JSON.parse(text).error.code, 'unavailable')
    })
  }

  it('is an error of the MCP tool', async () => {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
    }
    const params = { name: 'search', arguments: { query: 'a' } }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const errors: unknown[] = []
    const site = createSiteReader(publisher, new Map())
    const { status, body } = await respondToMessage(site, headers, call, (error) => errors.push(error))
    const { result } = JSON.parse(body)
    assert.deepEqual([status, result.isError, errors], [200, true, []])
    assert.equal(result.content[0].text, `${MESSAGE}. Please try again in a few seconds.`)
  })
})
