import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { someone } from '../support/accounts.ts'
import { get, type Person } from '../support/api.ts'
import { readDocument } from '../support/api-description.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { FILLERS, VALID_VALUES } from '../support/hostile-input.ts'
import { MEMBER_PATHS, PUBLIC_PATHS } from '../support/page-visitor.ts'
import { head } from '../support/raw-http.ts'
import { type Service, startService } from '../support/service.ts'

// Processor time that the service's thread spends on one request. Of ten tries the shortest counts: other programs can
// make a try longer, and none can make it shorter.
const MAX_MS = 20
const TRIES = 10

const PAGES_SOURCE = join(import.meta.dirname, '../../src/pages/account')

// Every header that some route reads.
const HEADERS = [
  ...['Accept', 'Accept-Encoding', 'Access-Control-Request-Method', 'Authorization', 'Connection', 'Content-Encoding'],
  ...['Content-Type', 'Cookie', 'Expect', 'Host', 'If-Modified-Since', 'If-None-Match', 'Origin', 'Sec-Fetch-Site'],
  ...['Transfer-Encoding', 'User-Agent', 'X-Forwarded-For', 'X-Real-Ip', 'X-Session-Id'],
]
// The prefix at which the parser of a header starts.
const PREFIXES: Record<string, string> = {
  Authorization: 'Bearer ',
  Cookie: 'portico_session=',
  'Content-Type': 'multipart/form-data; boundary=',
}

const FORM = 'application/x-www-form-urlencoded'

// The account must not be deleted by a request of the test.
const WRONG: Record<string, string> = { password: 'Wrong-Horse-7', currentPassword: 'Wrong-Horse-7' }

const PROVIDERS = { CODEHOST_CLIENT_ID: 'client', CODEHOST_CLIENT_SECRET: 'secret' }

describe('30 kB of hostile filler', () => {
  let service: Service
  let person: Person
  let cookie: string
  let client: Worker

  const suite = suiteCleanUp()
  before(async () => {
    service = await startService('sqlite', { TRUSTED_PROXIES: '127.0.0.1', ...PROVIDERS })
    cleanUp(suite, () => service.close())
    person = await someone(service)
    cookie = service.portico.browserSession.cookieFor(person).split(';', 1)[0] ?? ''
    const script = new URL('../support/client-thread.ts', import.meta.url)
    client = new Worker(script, { workerData: { port: Number(new URL(service.url).port) } })
    cleanUp(suite, () => client.terminate())
  })

  async function millisecondsOf(request: string): Promise<number> {
    const begun = process.threadCpuUsage()
    client.postMessage(request)
    const [status] = await once(client, 'message')
    const { user, system } = process.threadCpuUsage(begun)
    assert.notEqual(status, 0, `no response to ${request.slice(0, 300)}`)
    assert.notEqual(status, 500)
    return (user + system) / 1000
  }

  let places = 0

  /**
   * Sends a request with every other filler in one place, and with the others in the next place: all of them in all places
   * take a minute. `npm run check` proves the regular expressions to be linear.
   */
  async function assertFast(place: string, requestWith: (filler: string) => string): Promise<void> {
    places += 1
    for (const [name, filler] of Object.entries(FILLERS).filter((_, index) => index % 2 === places % 2)) {
      const request = requestWith(filler)
      let least = Number.POSITIVE_INFINITY
      for (let round = 0; round < TRIES && least > MAX_MS; round++) {
        least = Math.min(least, await millisecondsOf(request))
      }
      assert.ok(least <= MAX_MS, `${name} in ${place} took ${least} ms`)
    }
  }

  const signedIn = () => [`Authorization: Bearer ${person.accessToken}`, `X-Session-Id: ${person.sessionId}`]

  function request(method: string, path: string, lines: string[], body = '', type = 'application/json'): string {
    const own = ['Host: localhost', 'Connection: close', ...(body && [`Content-Type: ${type}`])]
    // Our header is overridden by one of the same name.
    const names = lines.map((line) => line.split(':', 1)[0]?.toLowerCase())
    const kept = own.filter((line) => !names.includes(line.split(':', 1)[0]?.toLowerCase()))
    const length = body ? [`Content-Length: ${Buffer.byteLength(body)}`] : []
    return head(`${method} ${path} HTTP/1.1`, ...kept, ...length, ...lines) + body
  }

  for (const name of HEADERS) {
    it(`does not block the thread in the header ${name}`, async () => {
      const picture = '/uploads/00000000-0000-0000-0000-000000000000.webp'
      for (const prefix of new Set(['', PREFIXES[name] ?? ''])) {
        const line = (filler: string) => [`${name}: ${prefix}${filler}`]
        await assertFast(name, (filler) => request('GET', '/', line(filler)))
        await assertFast(name, (filler) => request('GET', '/log-in', line(filler)))
        await assertFast(name, (filler) => request('GET', '/nothing.md', line(filler)))
        await assertFast(name, (filler) => request('GET', picture, line(filler)))
        await assertFast(name, (filler) => request('GET', '/api/user-details', line(filler)))
        await assertFast(name, (filler) => request('GET', '/api/oauth/codehost?state=a&code=a', line(filler)))
        await assertFast(name, (filler) =>
          request('POST', '/api/auth/refresh-token', line(filler), '{"refreshToken":"a"}'),
        )
        await assertFast(name, (filler) => {
          const lines = [`Origin: ${service.portico.config.baseUrl}`, ...line(filler)]
          return request('POST', '/log-in', lines, 'form=log-in&email=x', FORM)
        })
      }
    })
  }

  for (const name of ['User-Agent', 'X-Forwarded-For']) {
    it(`does not block the thread in the header ${name} of a log-in`, async () => {
      const body = JSON.stringify({ email: person.email, password: person.password })
      await assertFast(name, (filler) => request('POST', '/api/log-in', [`${name}: ${filler}`], body))
    })
  }

  for (const type of ['multipart/form-data', 'application/json', FORM]) {
    it(`does not block the thread in parameters and bodies of ${type}`, async () => {
      for (const path of ['/api/uploads', '/account']) {
        const lines = [...signedIn(), `Cookie: ${cookie}`, `Origin: ${service.portico.config.baseUrl}`]
        await assertFast('the boundary', (filler) =>
          request('POST', path, lines, `--${filler.slice(0, 20_000)}\r\n`, `${type}; boundary=${filler}`),
        )
        await assertFast('the body', (filler) => request('POST', path, lines, filler, `${type}; boundary=a`))
      }
    })
  }

  it('does not block the thread in a path', async () => {
    for (const start of ['/', '/api/', '/uploads/', '/blog/', '/tags/', 'http://']) {
      await assertFast(`a path below ${start}`, (filler) =>
        request('GET', start + inTarget(filler), [`Cookie: ${cookie}`]),
      )
      await assertFast(`a path below ${start}`, (filler) => request('POST', start + inTarget(filler), []))
    }
  })

  it('does not block the thread in a query, of routes and of pages', async () => {
    const { body } = await get(service, '/api/openapi.json')
    const routes = Object.entries<Record<string, { parameters?: { name: string; in: string }[] }>>(body.paths)
    const parameters = routes.flatMap(([path, { get: read }]) =>
      (read?.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => [path, name] as const),
    )
    const ofPages = new Set(
      globSync('*.ts', { cwd: PAGES_SOURCE }).flatMap((file) =>
        [...readFileSync(join(PAGES_SOURCE, file), 'utf8').matchAll(/query\.get\('(\w+)'\)/g)].map(
          ([, name]) => name ?? '',
        ),
      ),
    )
    assert.ok(parameters.length >= 8 && ofPages.size >= 4, `${parameters} ${[...ofPages]}`)
    for (const [path, name] of parameters) {
      await assertFast(`${name} of ${path}`, (filler) =>
        request('GET', `${path}?${name}=${inTarget(filler)}`, signedIn()),
      )
    }
    for (const path of [...PUBLIC_PATHS, ...MEMBER_PATHS, '/account/username/check', '/', '/nothing']) {
      for (const name of ofPages) {
        await assertFast(`${name} of ${path}`, (filler) => request('GET', `${path}?${name}=${inTarget(filler)}`, []))
      }
      await assertFast(`the query of ${path}`, (filler) =>
        request('GET', `${path}?${inTarget(filler)}`, [`Cookie: ${cookie}`]),
      )
    }
  })

  it('does not block the thread in a field of a form', async () => {
    const seen = new Set<string>()
    for (const path of [...PUBLIC_PATHS, ...MEMBER_PATHS]) {
      const lines = [
        `Origin: ${service.portico.config.baseUrl}`,
        ...(MEMBER_PATHS.includes(path) ? [`Cookie: ${cookie}`] : []),
      ]
      const shown = await get(service, path, { headers: MEMBER_PATHS.includes(path) ? { cookie } : {} })
      const page: string = shown.body
      for (const [, content = ''] of page.matchAll(/<form[^>]*>(.*?)<\/form>/gs)) {
        const form = /name="form" value="([^"]*)"/.exec(content)?.[1]
        const names = new Set(
          [...content.matchAll(/<(?:input|textarea|select)[^>]* name="([^"]*)"/g)].map(([, name]) => name ?? ''),
        )
        for (const name of names) {
          // A list has the same form in every row.
          if (!form || seen.has(`${path} ${form} ${name}`)) continue
          seen.add(`${path} ${form} ${name}`)
          await assertFast(`${name} of ${form} on ${path}`, (filler) => {
            const others = [...names].map((other) => [other, 'x'])
            const fields: Record<string, string> = { ...Object.fromEntries(others), form, [name]: filler }
            const body = Object.entries(fields).map(([field, value]) => `${field}=${inForm(value)}`)
            return request('POST', path, lines, body.join('&'), FORM)
          })
        }
      }
    }
    assert.ok(seen.size >= 40, String(seen.size))
  })

  it('does not block the thread in a field of JSON', async () => {
    const { paths } = await readDocument(service)
    let count = 0
    for (const [path, methods] of Object.entries<
      Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>
    >(paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const schema = requestBody?.content['application/json']?.schema
        for (const [name, place] of schema ? placesOf(schema, '') : []) {
          count++
          await assertFast(`${name} of ${method} ${path}`, (filler) => {
            const fields = Object.keys(schema?.properties ?? {}).map((field) => [
              field,
              WRONG[field] ?? VALID_VALUES[field],
            ])
            const values = { ...Object.fromEntries(fields), ...(place(filler) as object) }
            return request(method.toUpperCase(), path, signedIn(), JSON.stringify(values))
          })
        }
      }
    }
    assert.ok(count >= 40, String(count))
  })

  it('does not block the thread in the structure of JSON', async () => {
    const bodies = {
      'a list of numbers': `[${'0,'.repeat(30_000)}0]`,
      'a list of objects': `[${'{},'.repeat(20_000)}{}]`,
      'a list of texts': `[${'"",'.repeat(20_000)}""]`,
      'a list of entries': `[${'{"provider":"","url":""},'.repeat(2400)}{}]`,
      'many fields': `{${Array.from({ length: 6000 }, (_, index) => `"${index}":0`).join()},"a":0}`,
      'nested lists': '['.repeat(30_000) + ']'.repeat(30_000),
      'nested objects': '{"a":'.repeat(9000) + 0 + '}'.repeat(9000),
    }
    for (const [name, value] of Object.entries(bodies)) {
      for (const body of [value, `{"socialAccounts":${value}}`, `{"location":${value}}`, `{"bio":${value}}`]) {
        let least = Number.POSITIVE_INFINITY
        for (let round = 0; round < TRIES && least > MAX_MS; round++) {
          least = Math.min(least, await millisecondsOf(request('POST', '/api/user-details', signedIn(), body)))
        }
        assert.ok(least <= MAX_MS, `${name} took ${least} ms`)
      }
    }
  })
})

interface Schema {
  properties?: Record<string, Schema>
  items?: Schema
}

/** Every place for a text in a body, with a body that has the text there. */
function placesOf({ properties, items }: Schema, name: string): [name: string, place: (filler: string) => unknown][] {
  if (items) {
    return placesOf(items, `${name}[]`).map(([path, place]) => [
      path,
      // The same 30 kB in four entries.
      (filler) =>
        Array.from({ length: 4 }, (_, index) =>
          place(filler.slice(0, 10) + filler.slice(10 + index * 5000, 5010 + index * 5000)),
        ),
    ])
  }
  if (!properties) return [[name, (filler) => filler]]
  const own: ReturnType<typeof placesOf> = name ? [[name, (filler) => filler]] : []
  const below = Object.entries(properties).flatMap(([field, schema]) =>
    placesOf(schema, name ? `${name}.${field}` : field).map(([path, place]): [string, (filler: string) => unknown] => [
      path,
      (filler) => ({ [field]: place(filler) }),
    ]),
  )
  return [...own, ...below]
}

const inTarget = (filler: string) => encoded(filler, (text) => encodeURI(text).replaceAll('#', '%23'), 30_000)
const inForm = (filler: string) => encoded(filler, encodeURIComponent, 60_000)

/** The longest prefix of a text that fits when encoded, in whole characters. */
function encoded(filler: string, encode: (text: string) => string, most: number): string {
  const whole = encode(filler)
  return whole.length <= most ? whole : encode(filler.slice(0, Math.floor((filler.length * most) / whole.length) - 1))
}
