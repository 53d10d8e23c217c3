import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { someone } from '../support/accounts.ts'
import { assertSucceeded, post } from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startTcpProxy } from '../support/local-servers.ts'
import { startOn, temporaryDatabase } from '../support/service.ts'

const TIMEOUT_MS = 4000

/** A service whose database can hang. */
async function startBehindProxy(t: TestContext) {
  const env = await temporaryDatabase(t, 'postgres')
  const url = new URL(env.DATABASE_URL ?? '')
  const proxy = await startTcpProxy(Number(url.port))
  cleanUp(t, () => proxy.close())
  url.port = String(proxy.port)
  const service = await startOn({ ...env, DATABASE_URL: url.href }, { databaseTimeoutMs: TIMEOUT_MS })
  let closing: Promise<void> | undefined
  const close = () => (closing ??= service.close())
  cleanUp(t, close)
  return { proxy, service, close }
}

describe('a PostgreSQL server that hangs', () => {
  it('costs a transaction one timeout, and leaves none of its writes', async (t) => {
    const { proxy, service } = await startBehindProxy(t)
    const person = await someone(service)
    const { database: ours, store } = service.portico

    const { mock } = t.mock.method(pg.Client.prototype, 'query')
    let sentBefore = 0
    await assert.rejects(
      ours.transaction(async (tx) => {
        await tx.updateTable('users').set({ bio: 'undone' }).where('id', '=', person.userId).execute()
        proxy.hang()
        sentBefore = mock.callCount()
        await tx.selectFrom('users').select('id').execute()
      }),
      ours.isUnavailable,
    )
    // One query times out. A rollback on the same connection would take the same time again.
    const sent = mock.calls.slice(sentBefore)
    assert.equal(sent.filter((call) => call.this === sent[0]?.this).length, 1)

    proxy.resume()
    assert.equal((await store.findById(person.userId))?.bio, '')
    assertSucceeded(await post(service, '/api/user-details', { bio: 'kept' }, { as: person }))
    assert.equal((await store.findById(person.userId))?.bio, 'kept')
  })

  it('does not keep a service from stopping, and ends its retries', async (t) => {
    const waiting = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout')
    const before = waiting()
    const { proxy, service, close } = await startBehindProxy(t)
    const person = await someone(service)
    proxy.hang()
    service.portico.activity.touch(person.sessionId)
    await close()
    assert.deepEqual(waiting(), before)
  })
})
