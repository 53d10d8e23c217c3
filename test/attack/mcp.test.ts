import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { post } from '../support/api.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { markdown, SITE_ADDRESS, startSite, type TestSite } from '../support/site.ts'

const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const NEWEST = '2026-07-28'
const callTool = (name: unknown, args: unknown) => ({
  ...LIST_TOOLS,
  method: 'tools/call',
  params: { name, arguments: args },
})
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe('the MCP server', () => {
  const site = {} as TestSite
  const suite = suiteCleanUp()
  before(async () => {
    const files = { 'pages/about.md': markdown({ title: 'About' }) }
    Object.assign(site, await startSite(files, { CORS_ORIGINS: 'https://app.example' }))
    cleanUp(suite, () => site.close())
  })

  async function send(body: unknown, headers: Record<string, string> = {}, method = 'POST') {
    const response = await fetch(`${site.url}/mcp`, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text.startsWith('{') ? JSON.parse(text) : {},
    }
  }
  const isAlive = async () => assert.equal((await send(LIST_TOOLS)).status, 200)

  it('refuses pages of other origins, also when Host is the same name (DNS rebinding)', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      site.url,
      `${SITE_ADDRESS}.evil.example`,
      `${SITE_ADDRESS}/`,
      '',
    ])
      for (const method of ['POST', 'GET', 'DELETE'])
        assert.equal((await send(LIST_TOOLS, { origin }, method)).status, 403)
    for (const origin of [SITE_ADDRESS, 'https://app.example'])
      assert.equal((await send(LIST_TOOLS, { origin })).status, 200, origin)
  })

  it('has no streams and no sessions', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await send(undefined, { 'mcp-session-id': 'x' }, method)
      assert.deepEqual([status, headers.get('allow')], [405, 'POST'], method)
    }
    const { headers } = await send(LIST_TOOLS, { 'mcp-session-id': '../../x' })
    assert.equal(headers.get('mcp-session-id'), null)
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(headers.get('cache-control'), 'no-store')
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': NEWEST,
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const listen = { ...LIST_TOOLS, method: 'subscriptions/listen', params: { _meta: envelope } }
    const refused = await send(listen, { 'mcp-protocol-version': NEWEST, 'mcp-method': listen.method })
    assert.match(refused.body.error.message, /limit reached/)
  })

  for (const [what, body, code] of [
    ['no JSON', '{', -32700],
    ['no UTF-8', '{"a":"\ud800"', -32700],
    ['deep JSON', nested(5000), -32700],
    ['a long list', JSON.stringify({ ...LIST_TOOLS, params: { a: Array(501).fill(0) } }), -32700],
    ['a batch', [LIST_TOOLS, LIST_TOOLS], -32600],
    ['an empty batch', [], -32600],
    ['a text', '"tools/list"', -32600],
    ['null', 'null', -32600],
    ['an object of another kind', { a: 1 }, -32600],
    ['an id that is an object', { ...LIST_TOOLS, id: {} }, -32600],
    ['no version', { id: 1, method: 'tools/list' }, -32600],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { status, body: result } = await send(body)
      assert.deepEqual([status, result.error?.code], [400, code])
      await isAlive()
    })
  }

  it('refuses bodies that are too large, compressed or of another type before it reads them', async () => {
    assert.equal((await send(JSON.stringify({ ...LIST_TOOLS, id: 'x'.repeat(70_000) }))).status, 413)
    assert.equal((await send(LIST_TOOLS, { 'content-type': 'text/plain' })).status, 400)
    assert.equal((await send(LIST_TOOLS, { 'content-type': 'application/x-www-form-urlencoded' })).status, 400)
    assert.equal((await send(LIST_TOOLS, { 'content-encoding': 'gzip' })).status, 415)
    assert.equal((await send('')).status, 400)
    await isAlive()
  })

  it('echoes long ids and refuses unknown revisions', async () => {
    const id = 'é'.repeat(20_000)
    assert.equal((await send({ ...LIST_TOOLS, id })).body.id, id)
    assert.equal((await send(LIST_TOOLS, { 'mcp-protocol-version': '1999-01-01' })).status, 400)
    assert.equal((await send(LIST_TOOLS, { accept: 'text/html' })).status, 406)
  })

  it('refuses hostile arguments as errors of the tool, without internals', async () => {
    for (const [name, args] of [
      ['read', { address: `/${'a'.repeat(3000)}` }],
      ['read', { address: '/../../etc/passwd' }],
      ['read', { address: 'file:///etc/passwd' }],
      ['read', { address: '/%00' }],
      ['read', { address: '/%zz' }],
      ['read', { address: ['/about'] }],
      ['read', { __proto__: null, address: { toString: 1 } }],
      ['search', { query: 'a'.repeat(201) }],
      ['list', { limit: 1e9 }],
      ['list', { year: 1.5 }],
      ['list', { kind: 'drafts' }],
      ['describe_api', { api: 'constructor' }],
      ['describe_api', { api: 'account', path: 'toString' }],
      ['unknown', {}],
    ] as const) {
      const { status, body, text } = await send(callTool(name, args))
      assert.equal(status, 200, name)
      assert.ok(body.result?.isError || body.error, `${name} ${JSON.stringify(args).slice(0, 80)}`)
      assert.doesNotMatch(text, /node_modules|\.ts:|\n {4}at /, name)
    }
    await send('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"x":1}},"__proto__":{"x":1}}')
    assert.equal(Reflect.get({}, 'x'), undefined)
    await isAlive()
  })
})

it('counts messages to the MCP server in the rate limit of the API', async (t) => {
  const site = await startSite({}, { RATE_LIMITS: 'on', RATE_LIMIT_API: '2/1m' })
  cleanUp(t, () => site.close())
  const statuses: number[] = []
  for (let number = 0; number < 3; number++) {
    const headers = { accept: 'application/json, text/event-stream' }
    statuses.push((await post(site, '/mcp', LIST_TOOLS, { headers })).status)
  }
  assert.deepEqual(statuses, [200, 200, 429])
})
