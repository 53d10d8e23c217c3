import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import pg from 'pg'
import { someone } from '../support/accounts.ts'
import {
  type ApiResponse,
  assertRefused,
  assertSucceeded,
  del,
  get,
  logIn,
  PASSWORD,
  type Person,
  post,
  registration,
} from '../support/api.ts'
import { cleanUp } from '../support/clean-up.ts'
import { startTcpProxy } from '../support/local-servers.ts'
import { freshDatabase, type Service, startOn } from '../support/service.ts'

async function startBehindProxy(t: TestContext) {
  const database = await freshDatabase('postgres')
  cleanUp(t, () => database.drop())
  const url = new URL(database.env.DATABASE_URL ?? '')
  const proxy = await startTcpProxy(Number(url.port))
  cleanUp(t, () => proxy.close())
  url.port = String(proxy.port)
  const service = await startOn({ ...database.env, DATABASE_URL: url.href })
  cleanUp(t, () => service.close())
  return { proxy, service, direct: database.env.DATABASE_URL ?? '' }
}

const NEW_PASSWORD = 'Another-Horse-8'

/** Requests that write in a transaction, and a check whether it was committed. */
const WRITES: Record<
  string,
  {
    send(service: Service, person: Person): Promise<ApiResponse>
    shows(service: Service, person: Person): Promise<boolean>
  }
> = {
  'a registration': {
    send: (service, { email }) => post(service, '/api/create-account', registration({ email: `new-${email}` })),
    shows: async ({ portico: { store } }, { email }) => (await store.findByEmail(`new-${email}`)) !== undefined,
  },
  'a log-in': {
    send: (service, { email }) => post(service, '/api/log-in', { email, password: PASSWORD }),
    shows: async (service, person) =>
      (await get(service, '/api/sessions', { as: person })).body.data.sessions.length === 2,
  },
  'a change of password': {
    send: (service, person) =>
      post(
        service,
        '/api/change-password',
        { currentPassword: PASSWORD, newPassword: NEW_PASSWORD, confirmPassword: NEW_PASSWORD },
        { as: person },
      ),
    shows: (service, { email }) =>
      logIn(service, { email, password: NEW_PASSWORD }).then(
        () => true,
        () => false,
      ),
  },
  'a deletion': {
    send: (service, person) => del(service, '/api/delete-user', { password: PASSWORD }, { as: person }),
    shows: async (service, person) => (await get(service, '/api/user-details', { as: person })).status === 401,
  },
}

describe('a PostgreSQL connection that is cut in the middle of a commit', () => {
  for (const when of ['before it arrives', 'before its response arrives'] as const) {
    it(`${when} gives a 503, whether or not the transaction was committed`, async (t) => {
      const { proxy, service } = await startBehindProxy(t)
      for (const [name, { send, shows }] of Object.entries(WRITES)) {
        const person = await someone(service)
        // No mail of the steps before is on its way: its transaction would be cut instead.
        await service.portico.deliveryWorker.idle()
        const isCut = proxy.cutAtCommit([person.userId, person.email], when)
        assertRefused(await send(service, person), 503, 'Service temporarily unavailable')
        await isCut
        // The server committed what arrived, and nothing else.
        assert.equal(await shows(service, person), when === 'before its response arrives', name)
        assert.equal((await get(service, '/readyz')).status, 200)
      }
    })
  }
})

describe('a PostgreSQL primary that becomes read-only', () => {
  it('gives a 503 to writes and to /readyz, serves reads, and gets writes again when it accepts them', async (t) => {
    const { service, direct } = await startBehindProxy(t)
    const person = await someone(service)
    const admin = new pg.Client({ connectionString: direct })
    await admin.connect()
    cleanUp(t, () => admin.end())
    const name = new URL(direct).pathname.slice(1)
    const setReadOnly = async (value: 'on' | 'off') => {
      await admin.query(
        `set default_transaction_read_only = off; alter database ${name} set default_transaction_read_only = ${value}`,
      )
    }
    const disconnectAll = () =>
      admin.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )

    await setReadOnly('on')
    await disconnectAll()
    const { email, refreshToken, sessionId } = person
    for (const write of [
      () => post(service, '/api/user-details', { bio: 'New' }, { as: person }),
      () => post(service, '/api/create-account', registration()),
      () => post(service, '/api/log-in', { email, password: PASSWORD }),
      () => post(service, '/api/forgot-password', { email }),
      () => post(service, '/api/auth/refresh-token', { refreshToken }, { headers: { 'x-session-id': sessionId } }),
      () => post(service, '/api/auth/logout', undefined, { as: person }),
      () => del(service, '/api/delete-user', { password: PASSWORD }, { as: person }),
    ]) {
      assertRefused(await write(), 503, 'Service temporarily unavailable')
    }
    assertSucceeded(await get(service, '/api/user-details', { as: person }))
    assert.deepEqual((await get(service, '/readyz')).body, { status: 'database read-only' })

    // The connections stay open: they are replaced because they were read-only.
    await setReadOnly('off')
    const responses = []
    for (let number = 0; number < 20; number++) {
      responses.push((await post(service, '/api/user-details', { bio: 'Again' }, { as: person })).status)
    }
    assert.equal(responses.at(-1), 200)
    assert.equal((await service.portico.store.findById(person.userId))?.bio, 'Again')
  })
})
