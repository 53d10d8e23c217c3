import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { visit } from '../../src/doctor/visit.ts'
import { createSendWebhook } from '../../src/webhooks/send.ts'
import { someone } from '../support/accounts.ts'
import { assertRefused, post } from '../support/api.ts'
import { type CleanedUp, cleanUp } from '../support/clean-up.ts'
import { applyFault, listenOnLoopback } from '../support/local-servers.ts'
import { CERTIFICATE, KEY } from '../support/mail.ts'
import { signUpOwner } from '../support/owners.ts'
import { startService } from '../support/service.ts'
import { createWebhook, deliverDue, onlyDeliveryOf } from '../support/webhooks.ts'

const OFF = { mode: 'development', webhookPrivateAddresses: false } as const
const ON = { mode: 'development', webhookPrivateAddresses: true } as const
const CALL = { headers: {}, body: '{}' }

/** Addresses of this machine and of private networks, in the forms that URLs and resolvers know. */
const INNER_HOSTS = [
  '127.0.0.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fc00::1]',
  '[fe80::1]',
  '[ff02::1]',
]

async function listen(test: CleanedUp, handler: RequestListener = (_request, response) => void response.end()) {
  const server = await listenOnLoopback(handler)
  cleanUp(test, () => server.close())
  return server
}

describe('the URL of a webhook', () => {
  it('is refused when it names an inner address in any form, or a user, and gets no connection by a name', async (t) => {
    const service = await startService('sqlite')
    cleanUp(t, () => service.close())
    const owner = await signUpOwner(service)
    for (const host of [...INNER_HOSTS, 'user:password@hooks.example.com', 'user@hooks.example.com']) {
      const body = { url: `http://${host}/hook`, events: ['session.started'] }
      const response = await post(service, '/api/owner/webhooks', body, { as: owner })
      assertRefused(response, 400, 'Validation failed')
      assert.equal(response.body.errors[0].field, 'url', host)
    }

    const bait = await listen(t)
    const url = bait.url.replace('127.0.0.1', 'localhost')
    const { webhookId } = await createWebhook(service, owner, url, ['session.started'])
    await someone(service)
    await deliverDue(service)
    const { last_error, status_code } = await onlyDeliveryOf(service, webhookId)
    assert.match(last_error ?? '', /is not a public address/)
    assert.equal(status_code, null)
    assert.equal(bait.connections(), 0)
  })
})

describe('a call of a webhook', () => {
  it('never connects to an inner address, whatever a name resolves to', async (t) => {
    const bait = await listen(t)
    const { port } = new URL(bait.url)
    for (const host of INNER_HOSTS) {
      const send = createSendWebhook(OFF)
      await assert.rejects(send({ ...CALL, url: `http://${host}:${port}/` }), /is not a public address/, host)
    }
    const publicAddress = { address: '2600::1', family: 6 }
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', 'fe80::1%lo']) {
      const send = createSendWebhook(OFF, async () => [
        publicAddress,
        { address, family: address.includes(':') ? 6 : 4 },
      ])
      await assert.rejects(send({ ...CALL, url: `http://hooks.example.com:${port}/` }), /is not a public address/)
    }
    assert.equal(bait.connections(), 0)
  })

  it('resolves the name once, and connects to the address that was checked', async (t) => {
    const checked = await listen(t)
    const resolved = ['127.0.0.1', '127.0.0.2']
    const asked: string[] = []
    const send = createSendWebhook(ON, async (host) => {
      asked.push(host)
      return [{ address: resolved.shift() ?? '', family: 4 }]
    })
    const url = `http://hooks.example.com:${new URL(checked.url).port}/`
    assert.equal(await send({ ...CALL, url }), 200)
    assert.deepEqual(asked, ['hooks.example.com'])
    assert.equal(checked.connections(), 1)
  })

  it('is not made without TLS to a public address in production', async () => {
    for (const webhookPrivateAddresses of [true, false]) {
      const send = createSendWebhook({ mode: 'production', webhookPrivateAddresses }, async () => [
        { address: '2600::1', family: 6 },
      ])
      await assert.rejects(send({ ...CALL, url: 'http://hooks.example.com/' }), /needs https/)
    }
  })

  it('is not made to a server with a certificate that cannot be verified', async (t) => {
    let requests = 0
    const server = createServer({ key: KEY, cert: CERTIFICATE }, (_request, response) => {
      requests += 1
      response.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanUp(t, () => server.close())
    const { port } = server.address() as AddressInfo
    await assert.rejects(createSendWebhook(ON)({ ...CALL, url: `https://localhost:${port}/` }), /certificate/)
    assert.equal(requests, 0)
  })

  it('follows no redirect', async (t) => {
    const bait = await listen(t)
    const server = await listen(t, (_request, response) => {
      response.writeHead(307, { location: bait.url }).end()
    })
    assert.equal(await createSendWebhook(ON)({ ...CALL, url: server.url }), 307)
    assert.equal(bait.connections(), 0)
  })

  it('ends when the resolver or the receiver takes too long', async (t) => {
    const never = new Promise<never>(() => {})
    const unresolved = createSendWebhook(ON, () => never, 50)
    await assert.rejects(unresolved({ ...CALL, url: 'http://hooks.example.com/' }), /no response within 0.05 seconds/)
    const silent = await listen(t, () => {})
    await assert.rejects(createSendWebhook(ON, undefined, 50)({ ...CALL, url: silent.url }), /no response within/)
  })

  it('fails when the receiver switches to another protocol, which Node reports neither as response nor as error', async (t) => {
    const upgrading = await listen(t, ({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')
    })
    await assert.rejects(createSendWebhook(ON)({ ...CALL, url: upgrading.url }), /closed without a response/)
    await assert.rejects(visit(upgrading.url, { signal: AbortSignal.timeout(60_000) }), /another protocol/)
  })

  it('is a success by its status, also if the body is cut', async (t) => {
    const cut = await listen(t, (_request, response) => {
      response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy())
    })
    assert.equal(await createSendWebhook(ON)({ ...CALL, url: cut.url }), 200)
  })

  it('reads no endless response', async (t) => {
    const { promise: bytesWritten, resolve } = Promise.withResolvers<number>()
    const endless = await listen(t, ({ socket }, response) => {
      socket.on('close', () => resolve(socket.bytesWritten))
      void applyFault(response, 'endless')
    })
    // The time limit is not what ends it.
    assert.equal(await createSendWebhook(ON, undefined, 60_000)({ ...CALL, url: endless.url }), 200)
    // The buffers of both sockets are filled too. Until the time limit it would be gigabytes.
    assert.ok((await bytesWritten) < 64 * 1024 * 1024)
  })
})
