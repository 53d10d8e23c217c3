import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { type Config, readConfig } from '../../src/config/config.ts'
import { LIMIT_NAMES, limitSetting } from '../../src/config/limit-kinds.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'
import { configErrorsOf, PRODUCTION, SECRET } from '../support/service.ts'

const DEFAULT_LIMITS = {
  api: { count: 100, seconds: 60 },
  login: { count: 5, seconds: 60 },
  password: { count: 60, seconds: 60 },
  registration: { count: 30, seconds: 3600 },
  reset: { count: 3, seconds: 900 },
  resend: { count: 3, seconds: 900 },
  code: { count: 5, seconds: 900 },
  security: { count: 30, seconds: 3600 },
  mail: { count: 10, seconds: 3600 },
  upload: { count: 60, seconds: 3600 },
  download: { count: 5, seconds: 3600 },
  invitation: { count: 100, seconds: 3600 },
  testmail: { count: 5, seconds: 3600 },
  megapixels: { count: 500, seconds: 3600 },
}

describe('settings', () => {
  it('have defaults for development', () => {
    const expected: Partial<Config> = {
      mode: 'development',
      host: '127.0.0.1',
      port: 3000,
      workers: 1,
      baseUrl: 'http://localhost:3000',
      dataDir: resolve('data'),
      contentDir: resolve('content'),
      database: { engine: 'sqlite', file: resolve('data/portico.db'), timeoutMs: 1500 },
      mail: { smtpUrl: undefined, requireTls: false, from: { name: undefined, address: 'no-reply@localhost' } },
      uploadUrl: 'http://localhost:3000/uploads',
      avatarHosts: undefined,
      corsOrigins: [],
      trustedProxies: [],
      rateLimits: undefined,
      passwordPolicy: 'basic',
      sessionLifetimeMs: 180 * 24 * 60 * 60_000,
      reauthenticateAfterMs: 15 * 60_000,
      mailedCodeLogIn: true,
      breachedPasswordsUrl: undefined,
      encryptionKey: undefined,
      securityContacts: [],
      logLevel: 'info',
      logFormat: 'pretty',
      metrics: undefined,
      warnings: [],
    }
    for (const config of [readConfig({}), readConfig({ NODE_ENV: 'test' })]) {
      assert.deepEqual({ ...config, ...expected }, config)
    }
  })

  it('have others for production: all addresses, with rate limits, and SMTP only', () => {
    const config = readConfig(PRODUCTION)
    assert.equal(config.mode, 'production')
    assert.equal(config.host, '0.0.0.0')
    assert.equal(config.logFormat, 'json')
    assert.deepEqual(config.rateLimits, DEFAULT_LIMITS)
    const { SMTP_URL: _, ...rest } = PRODUCTION
    const faults = configErrorsOf(rest)
    assert.equal(faults.length, 1)
    assert.match(faults[0] ?? '', /^ {2}SMTP_URL is required in production, for example smtp:\/\//)
    const invalid = configErrorsOf({ ...rest, SMTP_URL: 'smtp://mail.example:587x' })
    assert.equal(invalid.length, 1)
    assert.match(invalid[0] ?? '', /^ {2}SMTP_URL must be a valid URL/)
  })

  it('derive defaults from each other', () => {
    assert.equal(readConfig({ PORT: '8080' }).baseUrl, 'http://localhost:8080')
    const config = readConfig({ NODE_ENV: 'test', BASE_URL: 'https://site.example//', DATA_DIR: '/srv/portico' })
    assert.equal(config.baseUrl, 'https://site.example')
    assert.equal(config.uploadUrl, 'https://site.example/uploads')
    assert.deepEqual(config.mail.from, { name: undefined, address: 'no-reply@site.example' })
    assert.deepEqual(config.database, { engine: 'sqlite', file: '/srv/portico/portico.db', timeoutMs: 1500 })
  })

  it('count as unset when they are empty, and are trimmed', () => {
    const empty = Object.fromEntries(
      ['PORT', 'HOST', 'BASE_URL', 'SMTP_URL', 'DATABASE_URL'].map((name) => [name, ' ']),
    )
    assert.deepEqual(readConfig(empty), readConfig({}))
    assert.equal(readConfig({ PORT: ' 8080 ' }).port, 8080)
  })

  it('accept a duration with its unit for the lifetime of sessions', () => {
    const lifetime = (SESSION_LIFETIME: string) => readConfig({ SESSION_LIFETIME }).sessionLifetimeMs
    assert.deepEqual([lifetime('30d'), lifetime('12h'), lifetime('5m')], [2_592_000_000, 43_200_000, 300_000])
    for (const SESSION_LIFETIME of ['180', 'd', '0d', '-1d', '1.5d', '1y', '180 d', '999999d', 'never']) {
      const [fault = '', ...others] = configErrorsOf({ SESSION_LIFETIME })
      assert.match(fault, /^ {2}SESSION_LIFETIME must be a time such as 180d, 12h or 30m, not "/)
      assert.deepEqual(others, [])
    }
  })

  it('cannot be changed afterwards', () => {
    assert.ok(Object.isFrozen(readConfig({})))
  })

  it('choose the database by its URL', () => {
    const database = (DATABASE_URL: string) => readConfig({ DATABASE_URL }).database
    assert.deepEqual(database('file:./some.db'), { engine: 'sqlite', file: resolve('some.db'), timeoutMs: 1500 })
    assert.deepEqual(database('file:/srv/some.db'), { engine: 'sqlite', file: '/srv/some.db', timeoutMs: 1500 })
    for (const url of ['postgres://me@host/site', 'postgresql://me@host/site']) {
      assert.deepEqual(database(url), { engine: 'postgres', url, timeoutMs: 1500 })
    }
  })

  it('parse rates as a count and a duration', () => {
    const env = {
      RATE_LIMITS: 'on',
      RATE_LIMIT_LOGIN: '10/30s',
      RATE_LIMIT_RESET: '1/2h',
      RATE_LIMIT_MAIL: '4/60m',
      RATE_LIMIT_API: '1000/5m',
    }
    assert.deepEqual(readConfig(env).rateLimits, {
      ...DEFAULT_LIMITS,
      login: { count: 10, seconds: 30 },
      reset: { count: 1, seconds: 7200 },
      mail: { count: 4, seconds: 3600 },
      api: { count: 1000, seconds: 300 },
    })
    assert.equal(readConfig({ ...PRODUCTION, RATE_LIMITS: 'off' }).rateLimits, undefined)
  })

  it('turn metrics on by a port of their own or by a token', () => {
    const metrics = (env: Record<string, string>) => readConfig(env).metrics
    const token = 'a-token-of-16-ch'
    assert.deepEqual(metrics({ METRICS_PORT: '9464' }), { at: { host: '127.0.0.1', port: 9464 }, token: undefined })
    assert.deepEqual(metrics({ METRICS_TOKEN: token }), { at: undefined, token })
    assert.deepEqual(metrics({ METRICS_TOKEN: token, METRICS_PORT: '0', METRICS_HOST: '::1' }), {
      at: { host: '::1', port: 0 },
      token,
    })
    assert.equal(metrics({ METRICS_HOST: '::1' }), undefined)
    assert.match(configErrorsOf({ METRICS_PORT: '3000' })[0] ?? '', /^ {2}METRICS_PORT must differ from PORT/)
    for (const METRICS_TOKEN of [SECRET.slice(0, 15), `${SECRET} ${SECRET}`, `${SECRET}é`]) {
      assert.match(configErrorsOf({ METRICS_TOKEN })[0] ?? '', /^ {2}METRICS_TOKEN must have at least 16 letters/)
    }
  })

  it('choose the format of the log', () => {
    assert.equal(readConfig({ LOG_FORMAT: 'json' }).logFormat, 'json')
    assert.equal(readConfig({ ...PRODUCTION, LOG_FORMAT: 'pretty' }).logFormat, 'pretty')
    assert.match(
      configErrorsOf({ LOG_FORMAT: 'xml' })[0] ?? '',
      /^ {2}LOG_FORMAT must be one of json, pretty, not "xml"/,
    )
  })

  it('parse contacts as URIs', () => {
    const { securityContacts } = readConfig({
      SECURITY_CONTACT: 'security@site.example, https://site.example/report tel:+1-201-555-0123',
    })
    assert.deepEqual(securityContacts, [
      'mailto:security@site.example',
      'https://site.example/report',
      'tel:+1-201-555-0123',
    ])
    assert.deepEqual(readConfig({ SECURITY_CONTACT: 'mailto:a@b.example' }).securityContacts, ['mailto:a@b.example'])
  })

  it('parse lists with commas or spaces', () => {
    const config = readConfig({
      CORS_ORIGINS: 'https://a.example, http://localhost:5173',
      TRUSTED_PROXIES: '10.0.0.0/8 ::1,fd00::/8',
      AVATAR_HOSTS: 'images.example,cdn.example',
    })
    assert.deepEqual(config.corsOrigins, ['https://a.example', 'http://localhost:5173'])
    assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '::1', 'fd00::/8'])
    assert.deepEqual(config.avatarHosts, ['images.example', 'cdn.example'])
  })

  it('require both addresses of a code host, or neither', () => {
    const client = { CODEHOST_CLIENT_ID: 'id', CODEHOST_CLIENT_SECRET: 'secret' }
    const other = { CODEHOST_URL: 'https://git.example.com' }
    const otherApi = { CODEHOST_API_URL: 'https://git.example.com/api/v1' }
    assert.match(
      configErrorsOf({ ...client, ...other }).join(),
      /^ {2}CODEHOST_API_URL is missing: CODEHOST_URL is set/,
    )
    assert.match(
      configErrorsOf({ ...client, ...otherApi }).join(),
      /^ {2}CODEHOST_URL is missing: CODEHOST_API_URL is set/,
    )
    assert.equal(readConfig({ ...client, ...other, ...otherApi }).codehost?.url, 'https://git.example.com')
    assert.equal(readConfig(client).codehost?.apiUrl, 'https://api.github.com')
  })

  const faulty: [name: string, values: string[], form: RegExp][] = [
    ['NODE_ENV', ['Production', 'prod', 'producton'], /one of development, test, production/],
    ['PORT', ['http', '-1', '65536', '80.5', '0x50'], /a port number from 0 to 65535/],
    ['BASE_URL', ['site.example', 'ftp://site.example'], /a URL that starts with http:\/\/ or https:\/\//],
    ['BASE_URL', ['https://', 'https://site.example:65536', 'https://[::1'], /a valid URL: check its host and port/],
    ['BASE_URL', ['https://*', 'https://.'], /a host name or an IP address/],
    ['UPLOAD_URL', ['/uploads', 'javascript:alert(1)'], /a URL that starts with http:\/\/ or https:\/\//],
    ['SMTP_URL', [`ftp://me:${SECRET}@mail`, SECRET], /a URL that starts with smtp:\/\/ or smtps:\/\//],
    ['SMTP_URL', ['smtp:mail'], /a URL that starts with smtp:\/\/ or smtps:\/\//],
    ['SMTP_URL', ['smtp://'], /must name a host/],
    ['SMTP_URL', ['smtp://me:12#ss@mail.example', 'smtp://me:12/ss@mail.example'], /must end after host and port/],
    ['SMTP_URL', ['smtp://mail.example:99999', `smtp://me:${SECRET}#@mail.example`], /a valid URL/],
    [
      'DATABASE_URL',
      ['file:', 'file:./data/', 'file:a.db?mode=ro', `mysql://me:${SECRET}@host/db`, SECRET],
      /file:.+ or postgres:/,
    ],
    [
      'DATABASE_URL',
      [`postgres://me:${SECRET}@[host/db`, `postgres://me:${SECRET}#@host/db`, 'postgres://me:12#x@host/db'],
      /a valid URL/,
    ],
    ['MAIL_FROM', ['nobody', 'Site <site>', 'a@example.com\nBcc: b@example.com'], /an address/],
    ['AVATAR_HOSTS', ['https://images.example', 'images.example/avatars'], /host names/],
    [
      'CORS_ORIGINS',
      ['site.example', 'https://a.example/', 'https://a.example/x', '*', 'null'],
      /origins such as https:/,
    ],
    [
      'TRUSTED_PROXIES',
      ['proxy.local', '10.0.0.0/33', '::1/129', '10.0.0.0/', '10.0.0.0/8/8'],
      /IP addresses or ranges/,
    ],
    ['SMTP_TLS', ['yes', 'required'], /one of on, off/],
    ['MAILED_CODE_LOG_IN', ['yes'], /one of on, off/],
    ['REAUTHENTICATE_AFTER', ['15', '0m', 'never'], /a time such as 180d/],
    ['BREACHED_PASSWORDS_URL', ['on', 'ftp://a.example/'], /a URL that starts with http/],
    ['ENCRYPTION_KEY', ['short', 'x'.repeat(42), `${'x'.repeat(42)}+`, 'x'.repeat(64)], /32 bytes in base64url/],
    ['RATE_LIMITS', ['yes', 'true', 'ON'], /one of on, off/],
    ['RATE_LIMIT_LOGIN', ['5', '0/1m', '5/0s', '-5/1m', '5/1d', '5/m', '5 per 1m'], /a count and a time such as 5\/1m/],
    ['RATE_LIMIT_MAIL', ['10/61m', '10/2h'], /a time of at most 1h/],
    ...LIMIT_NAMES.map((name): [string, string[], RegExp] => [
      limitSetting(name),
      ['often'],
      /a count and a time such as 5\/1m/,
    ]),
    ['PASSWORD_POLICY', ['strict'], /one of basic, nist/],
    [
      'SECURITY_CONTACT',
      ['nobody', 'http://site.example/report', 'javascript:alert(1)', 'mailto:', 'tel:112', 'https://'],
      /addresses such as security@/,
    ],
    ['LOG_LEVEL', ['verbose'], /one of debug, info, warn, error, silent/],
  ]
  for (const [name, values, form] of faulty) {
    for (const value of values) {
      it(`report the format of ${name} for ${JSON.stringify(value)}`, () => {
        const faults = configErrorsOf({ [name]: value })
        assert.equal(faults.length, 1, `faults: ${faults}`)
        assert.match(faults[0] ?? '', new RegExp(`^ {2}${name} must `))
        assert.match(faults[0] ?? '', form)
      })
    }
  }

  it('report all errors together', () => {
    const env = Object.fromEntries(faulty.map(([name, [value = '']]) => [name, value]))
    const named = configErrorsOf(env).map((fault) => fault.trim().split(' ')[0])
    assert.deepEqual(new Set(named), new Set(Object.keys(env)))
  })
})

describe('secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-secrets-'))
  const suite = suiteCleanUp()
  cleanUp(suite, () => rmSync(folder, { recursive: true }))
  const file = join(folder, 'secret')

  it('may be in a file, with a line break at its end', () => {
    writeFileSync(file, 'postgres://me@host/site\n')
    assert.deepEqual(readConfig({ DATABASE_URL_FILE: file }).database, {
      engine: 'postgres',
      url: 'postgres://me@host/site',
      timeoutMs: 1500,
    })
    writeFileSync(file, 'smtps://me@mail.example.com\n')
    assert.equal(readConfig({ SMTP_URL_FILE: file }).mail.smtpUrl, 'smtps://me@mail.example.com')
  })

  it('are refused when they are set in both places', () => {
    writeFileSync(file, 'smtp://one.example')
    assert.deepEqual(configErrorsOf({ SMTP_URL: 'smtp://two.example', SMTP_URL_FILE: file }), [
      '  SMTP_URL is set, and SMTP_URL_FILE too: keep one of them',
    ])
  })

  it('are reported as missing when their file cannot be read', () => {
    const missing = join(folder, 'missing')
    assert.deepEqual(configErrorsOf({ DATABASE_URL_FILE: missing }), [
      `  DATABASE_URL_FILE names a file that cannot be read: ${missing}`,
    ])
  })
})
