import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { observeRedirect } from '../../src/doctor/address.ts'
import { FORGED_ADDRESS, observeProxy } from '../../src/doctor/proxy.ts'
import { cleanUp } from '../support/clean-up.ts'
import { assertFound, createCertificate, examineWith, LIMIT_MS, QUIET, trust } from '../support/doctor.ts'
import { freePort, listenOnLoopback } from '../support/local-servers.ts'
import { startOn, temporaryDatabase } from '../support/service.ts'

const signal = AbortSignal.timeout(LIMIT_MS)

describe('portico doctor on the address of the service', () => {
  it('finds redirects, other servers, other databases and a clock that is wrong', async (t) => {
    let respond: Parameters<typeof listenOnLoopback>[0] = (_request, response) => void response.end('hello')
    const server = await listenOnLoopback((request, response) => respond(request, response))
    cleanUp(t, () => server.close())
    const env = await temporaryDatabase(t, 'sqlite')
    const service = await startOn(env)
    cleanUp(t, () => service.close())
    const own = { ...env, CONTENT_DIR: '/nowhere', PORT: String(new URL(service.url).port) }
    const examineAt = (BASE_URL: string) => examineWith({ ...own, BASE_URL })

    assertFound(
      await examineAt(server.url),
      'fault',
      /healthz does not lead to Portico: it responds with 200/,
      /pass every path/,
    )
    respond = (_request, response) =>
      void response.writeHead(301, { location: 'https://www.site.example/healthz' }).end()
    assertFound(
      await examineAt(server.url),
      'fault',
      /redirects to https:\/\/www\.site\.example$/,
      /BASE_URL=https:\/\/www\.site/,
    )
    respond = (request, response) => {
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString())
      if (request.url === '/readyz') response.statusCode = 503
      response.end(request.url === '/readyz' ? '{"status":"database read-only"}' : '{"status":"ok"}')
    }
    const other = await examineAt(server.url)
    assertFound(other, 'fault', /leads to a Portico with another database/, /settings of the service/)
    assertFound(other, 'fault', /the service is not ready: database read-only/, /log tells why/)
    assertFound(other, 'fault', /the clock of this machine is \d+\.\d seconds ahead of that of http/, /chrony/)
    const closed = `http://127.0.0.1:${await freePort()}`
    assertFound(await examineAt(closed), 'fault', /cannot be opened: nothing listens there/, /that the proxy listens/)
    assertFound(await examineWith({ ...QUIET, ...env }), 'warning', /^the service does not respond/, /^Start it/)
    respond = (_request, response) => void response.end('plain')
    assertFound(
      await observeRedirect(`${server.url}/`, signal),
      'warning',
      /does not redirect to https/,
      /^Let the proxy/,
    )
  })

  it('finds certificates that have expired, expire soon or are not trusted, and a header that is lost', async (t) => {
    const expired = await createCertificate(t, -1)
    const soon = await createCertificate(t, 5)
    const addressOf = async ({ key, certificate }: typeof soon) => {
      const server = createServer(
        { key, cert: certificate },
        (_request, response) => void response.end('{"status":"ok"}'),
      )
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      cleanUp(t, () => {
        server.closeAllConnections()
        server.close()
      })
      return `https://localhost:${(server.address() as AddressInfo).port}`
    }
    const DATA_DIR = '/nowhere/data'
    const at = async (BASE_URL: string) => examineWith({ ...QUIET, DATA_DIR, BASE_URL })
    const [expiredUrl, soonUrl] = [await addressOf(expired), await addressOf(soon)]
    assertFound(await at(soonUrl), 'fault', /signed by no authority that Node trusts/, /NODE_EXTRA_CA_CERTS/)
    trust(t, soon.certificate, expired.certificate)
    assertFound(await at(expiredUrl), 'fault', /its certificate has expired/, /^Renew or replace/)
    const found = await at(soonUrl)
    assertFound(found, 'warning', /the certificate of https:\/\/localhost:\d+ expires in 4 days/, /^Renew it/)
    assertFound(found, 'warning', /Strict-Transport-Security does not arrive/, /must not remove/)
    const wrongName = soonUrl.replace('localhost', '127.0.0.1')
    assertFound(await at(wrongName), 'fault', /its certificate is for another name/, /^Renew or replace/)
  })

  it('finds proxies that hide, forge or lose the address of visitors', () => {
    const config = { baseUrl: 'https://site.example', trustedProxies: ['10.0.0.5'] }
    const seen = { peer: '10.0.0.5', client: '198.51.100.7', host: 'site.example' }
    const appended = `${FORGED_ADDRESS}, 198.51.100.7`
    assertFound(
      observeProxy({ ...seen, forwardedFor: appended }, config),
      'ok',
      /^10\.0\.0\.5 is a trusted proxy, and the limits count this machine as 198\.51\.100\.7/,
    )
    assertFound(
      observeProxy({ ...seen, forwardedFor: appended }, { ...config, trustedProxies: ['10.0.0.1'] }),
      'fault',
      /^the request came from 10\.0\.0\.5, which is not in TRUSTED_PROXIES: all visitors count as one address/,
      /set TRUSTED_PROXIES=10\.0\.0\.1,10\.0\.0\.5$/,
    )
    assertFound(
      observeProxy({ ...seen, forwardedFor: undefined }, config),
      'fault',
      /does not add the address of its client/,
      /proxy_set_header X-Forwarded-For/,
    )
    assertFound(
      observeProxy({ ...seen, forwardedFor: FORGED_ADDRESS }, config),
      'fault',
      /visitors can choose the address that the limits count/,
      /proxy_set_header X-Forwarded-For/,
    )
    assertFound(
      observeProxy({ ...seen, host: '127.0.0.1:3000', forwardedFor: appended }, config),
      'warning',
      /changes the header Host to 127\.0\.0\.1:3000/,
      /proxy_set_header Host/,
    )
  })
})
