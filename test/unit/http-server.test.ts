import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { pino } from 'pino'
import { HttpServer } from '../../src/http/server.ts'

const PROTECTION = { 'x-frame-options': 'DENY' }

/** A server of these routes, of which each failure is answered with its words. */
async function serve(t: TestContext, routes: Record<string, () => unknown>, failed?: () => never) {
  const lines: string[] = []
  const server = new HttpServer({
    protection: PROTECTION,
    log: pino({}, { write: (line) => void lines.push(line) }),
    lost: async () => {},
    failed: failed ?? ((error, _request, reply) => reply.code(418).send({ said: (error as Error).message })),
  })
  for (const [path, handle] of Object.entries(routes)) server.get(path, handle)
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.close())
  return { url, lines }
}

describe('the server', () => {
  it('answers what cannot be put into words as a failure, with all its headers', async (t) => {
    const { url } = await serve(t, { '/big': () => ({ number: 1n }) })
    const answer = await fetch(`${url}/big`)
    assert.equal(answer.status, 418)
    assert.match(await answer.text(), /BigInt/)
    assert.equal(answer.headers.get('x-frame-options'), 'DENY')
    assert.match(answer.headers.get('x-request-id') ?? '', /^[\da-f-]{36}$/)
  })

  it('answers 500 in the envelope when the answer to a failure fails too, and tells why in the log alone', async (t) => {
    const fail = () => {
      throw new Error('the inside of the house')
    }
    const { url, lines } = await serve(t, { '/': fail }, fail)
    const answer = await fetch(url)
    assert.equal(answer.status, 500)
    const { success, message, requestId } = (await answer.json()) as Record<string, unknown>
    assert.deepEqual([success, message], [false, 'Internal server error'])
    assert.equal(requestId, answer.headers.get('x-request-id'))
    assert.ok(lines.some((line) => line.includes('the inside of the house')))
  })

  it('takes no address for the pattern of others', async (t) => {
    const { url } = await serve(t, { '/things/*': () => 'thing', '/here': () => 'here' })
    assert.equal(await (await fetch(`${url}/things/one`)).text(), 'thing')
    assert.equal((await fetch(`${url}/things/*`, { method: 'DELETE' })).status, 418)
    assert.equal((await fetch(`${url}/things/one/more`)).status, 418)
    assert.equal(await (await fetch(`${url}/%68ere`)).text(), 'here')
  })
})
