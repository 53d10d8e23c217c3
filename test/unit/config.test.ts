import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { type Config, readConfig } from '../../src/config.ts'
import { parseDotEnv } from '../../src/dot-env.ts'
import { LIMIT_NAMES, limitSetting } from '../../src/limit-kinds.ts'
import { ConfigError } from '../../src/settings-reader.ts'
import { cleanUp, suiteCleanUp } from '../support/clean-up.ts'

const SECRET = 'hunter2-is-my-secret'
const PRODUCTION = { NODE_ENV: 'production', BASE_URL: 'https://site.example', SMTP_URL: 'smtp://mail.example.com' }

const DEFAULT_LIMITS = {
  api: { count: 100, seconds: 60 },
  login: { count: 5, seconds: 60 },
  password: { count: 60, seconds: 60 },
  registration: { count: 30, seconds: 3600 },
  reset: { count: 3, seconds: 900 },
  resend: { count: 3, seconds: 900 },
  mail: { count: 10, seconds: 3600 },
  upload: { count: 60, seconds: 3600 },
  megapixels: { count: 500, seconds: 3600 },
}

/** What is said to be wrong, a line a fault. */
function faultsOf(env: Record<string, string>, dotEnv = ''): string[] {
  try {
    readConfig(env, parseDotEnv(dotEnv))
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    assert.ok(!error.message.includes(SECRET), error.message)
    return error.message.split('\n').slice(1)
  }
  return []
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
      database: { engine: 'sqlite', file: resolve('data/portico.db') },
      mail: { smtpUrl: undefined, requireTls: false, from: 'Portico <no-reply@localhost>' },
      uploadUrl: 'http://localhost:3000/uploads',
      avatarHosts: undefined,
      corsOrigins: [],
      trustedProxies: [],
      rateLimits: undefined,
      passwordPolicy: 'basic',
      sessionLifetimeMs: 180 * 24 * 60 * 60_000,
      securityContacts: [],
      logLevel: 'info',
      warnings: [],
    }
    for (const config of [readConfig({}), readConfig({ NODE_ENV: 'test' })]) {
      assert.deepEqual({ ...config, ...expected }, config)
    }
  })

  it('have others for production: open to all addresses, with limits, and by SMTP only', () => {
    const config = readConfig(PRODUCTION)
    assert.equal(config.mode, 'production')
    assert.equal(config.host, '0.0.0.0')
    assert.deepEqual(config.rateLimits, DEFAULT_LIMITS)
    const { SMTP_URL: _, ...rest } = PRODUCTION
    const faults = faultsOf(rest)
    assert.equal(faults.length, 1)
    assert.match(faults[0] ?? '', /^ {2}SMTP_URL is required in production, for example smtp:\/\//)
  })

  it('follow one from the other', () => {
    assert.equal(readConfig({ PORT: '8080' }).baseUrl, 'http://localhost:8080')
    const config = readConfig({ NODE_ENV: 'test', BASE_URL: 'https://site.example//', DATA_DIR: '/srv/portico' })
    assert.equal(config.baseUrl, 'https://site.example')
    assert.equal(config.uploadUrl, 'https://site.example/uploads')
    assert.equal(config.mail.from, 'Portico <no-reply@site.example>')
    assert.deepEqual(config.database, { engine: 'sqlite', file: '/srv/portico/portico.db' })
  })

  it('count as unset when they are empty, and lose the space around them', () => {
    const empty = Object.fromEntries(
      ['PORT', 'HOST', 'BASE_URL', 'SMTP_URL', 'DATABASE_URL'].map((name) => [name, ' ']),
    )
    assert.deepEqual(readConfig(empty), readConfig({}))
    assert.equal(readConfig({ PORT: ' 8080 ' }).port, 8080)
  })

  it('take a time with its unit for the lifetime of sessions', () => {
    const lifetime = (SESSION_LIFETIME: string) => readConfig({ SESSION_LIFETIME }).sessionLifetimeMs
    assert.deepEqual([lifetime('30d'), lifetime('12h'), lifetime('5m')], [2_592_000_000, 43_200_000, 300_000])
    for (const SESSION_LIFETIME of ['180', 'd', '0d', '-1d', '1.5d', '1y', '180 d', '999999d', 'never']) {
      const [fault = '', ...others] = faultsOf({ SESSION_LIFETIME })
      assert.match(fault, /^ {2}SESSION_LIFETIME must be a time such as 180d, 12h or 30m, not "/)
      assert.deepEqual(others, [])
    }
  })

  it('cannot be changed afterwards', () => {
    assert.ok(Object.isFrozen(readConfig({})))
  })

  it('choose the database by its address', () => {
    const database = (DATABASE_URL: string) => readConfig({ DATABASE_URL }).database
    assert.deepEqual(database('file:./some.db'), { engine: 'sqlite', file: resolve('some.db') })
    assert.deepEqual(database('file:/srv/some.db'), { engine: 'sqlite', file: '/srv/some.db' })
    for (const url of ['postgres://me@host/site', 'postgresql://me@host/site']) {
      assert.deepEqual(database(url), { engine: 'postgres', url })
    }
  })

  it('read rates as a count and a time', () => {
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

  it('read contacts as URIs', () => {
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

  it('read lists with commas or spaces', () => {
    const config = readConfig({
      CORS_ORIGINS: 'https://a.example, http://localhost:5173',
      TRUSTED_PROXIES: '10.0.0.0/8 ::1,fd00::/8',
      AVATAR_HOSTS: 'images.example,cdn.example',
    })
    assert.deepEqual(config.corsOrigins, ['https://a.example', 'http://localhost:5173'])
    assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '::1', 'fd00::/8'])
    assert.deepEqual(config.avatarHosts, ['images.example', 'cdn.example'])
  })

  const faulty: [name: string, values: string[], form: RegExp][] = [
    ['NODE_ENV', ['Production', 'prod', 'producton'], /one of development, test, production/],
    ['PORT', ['http', '-1', '65536', '80.5', '0x50'], /a port number from 0 to 65535/],
    ['BASE_URL', ['site.example', 'ftp://site.example', 'https://'], /a URL that starts with http:\/\/ or https:\/\//],
    ['BASE_URL', ['https://*', 'https://.'], /a host name or an IP address/],
    ['UPLOAD_URL', ['/uploads', 'javascript:alert(1)'], /a URL that starts with http:\/\/ or https:\/\//],
    ['SMTP_URL', [`ftp://me:${SECRET}@mail`, SECRET], /a URL that starts with smtp:\/\/ or smtps:\/\//],
    ['SMTP_URL', ['smtp://', 'smtp:mail'], /must name a host/],
    [
      'DATABASE_URL',
      [
        'file:',
        'file:./data/',
        'file:a.db?mode=ro',
        `mysql://me:${SECRET}@host/db`,
        SECRET,
        `postgres://me:${SECRET}@[host/db`,
      ],
      /file:.+ or postgres:/,
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
      it(`say what ${name} should look like instead of ${JSON.stringify(value)}`, () => {
        const faults = faultsOf({ [name]: value })
        assert.equal(faults.length, 1, `faults: ${faults}`)
        assert.match(faults[0] ?? '', new RegExp(`^ {2}${name} must `))
        assert.match(faults[0] ?? '', form)
      })
    }
  }

  it('report all faults together', () => {
    const env = Object.fromEntries(faulty.map(([name, [value = '']]) => [name, value]))
    const named = faultsOf(env).map((fault) => fault.trim().split(' ')[0])
    assert.deepEqual(new Set(named), new Set(Object.keys(env)))
  })
})

describe('a service that looks public', () => {
  const PUBLIC: [string, Record<string, string>][] = [
    ['an https address', { BASE_URL: 'https://localhost:3000' }],
    ['an address that is not of this machine', { BASE_URL: 'http://site.example' }],
    ['a name that only begins like this machine', { BASE_URL: 'http://localhost.site.example' }],
    ['an address of a private network', { BASE_URL: 'http://192.168.1.2:3000' }],
    ['all addresses of the machine', { HOST: '0.0.0.0' }],
    ['all addresses of the machine in IPv6', { HOST: '::' }],
    ['an address of the network', { HOST: '10.0.0.2' }],
  ]
  for (const [what, env] of PUBLIC) {
    it(`by ${what} starts only when NODE_ENV is set, and in development with a warning`, () => {
      const faults = faultsOf(env)
      assert.equal(faults.length, 1)
      assert.match(faults[0] ?? '', /^ {2}NODE_ENV is not set, .+ set NODE_ENV=production, or NODE_ENV=development /)
      const { warnings } = readConfig({ ...env, NODE_ENV: 'development' })
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', /^development mode, and /)
    })
  }

  it('is not one that only this machine can reach, whatever it is called', () => {
    for (const host of ['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.1.2.3', '[::1]']) {
      assert.deepEqual(faultsOf({ BASE_URL: `http://${host}:3000` }), [], host)
    }
    for (const HOST of ['localhost', '127.0.0.1', '::1', '::ffff:127.0.0.1']) assert.deepEqual(faultsOf({ HOST }), [])
  })
})

describe('the address of a production service', () => {
  const faultsWith = (BASE_URL: string) => faultsOf({ ...PRODUCTION, BASE_URL })

  it('must be set, and be https', () => {
    assert.match(faultsWith('')[0] ?? '', /^ {2}BASE_URL is required in production: .+https:\/\/example\.com$/)
    for (const url of ['http://site.example', 'http://10.0.0.1', 'http://localhost.site.example']) {
      assert.match(faultsWith(url)[0] ?? '', /^ {2}BASE_URL must start with https:\/\/ in production/)
    }
  })

  it('may be http on this machine, when it is set so, with a warning', () => {
    const { warnings } = readConfig({ ...PRODUCTION, BASE_URL: 'http://localhost:3000' })
    assert.ok(warnings.some((warning) => warning.startsWith('BASE_URL=http://localhost:3000 is for trying')))
  })
})

describe('a production service', () => {
  const recommended = 'PASSWORD_POLICY=nist is recommended: 15 characters at least, and common passwords refused'

  it('recommends the NIST password policy unless it has it', () => {
    assert.deepEqual(readConfig(PRODUCTION).warnings, [recommended])
    assert.deepEqual(readConfig({ ...PRODUCTION, PASSWORD_POLICY: 'nist' }).warnings, [])
  })
})

describe('TLS to the mail server', () => {
  const requires = (SMTP_URL: string, env = {}) => readConfig({ SMTP_URL, ...env }).mail.requireTls

  it('is required everywhere but on this machine, unless it is set', () => {
    for (const host of ['mail.example.com', '10.0.0.1:587', 'me:pass@mailer', '[fd00::1]', 'localhost.example.com']) {
      assert.equal(requires(`smtp://${host}`), true, host)
      assert.equal(requires(`smtp://${host}`, { SMTP_TLS: 'off' }), false, host)
    }
    for (const host of ['localhost:25', '127.0.0.1:25', '[::1]:25']) {
      assert.equal(requires(`smtp://${host}`), false, host)
      assert.equal(requires(`smtp://${host}`, { SMTP_TLS: 'on' }), true, host)
    }
  })

  it('is warned of when it is off, and cannot be switched off in the address', () => {
    const env = { SMTP_URL: 'smtp://mail.example.com', SMTP_TLS: 'off' }
    assert.match(readConfig(env).warnings.join(), /^SMTP_TLS=off: /)
    for (const option of ['requireTLS=false', 'ignoreTLS=true', 'tls.rejectUnauthorized=false']) {
      assert.match(faultsOf({ SMTP_URL: `smtp://mail.example.com?${option}` }).join(), /^ {2}SMTP_URL must end after/)
    }
  })
})

describe('unknown settings', () => {
  it('are refused in .env when they are nearly a setting, with the nearest one and their line', () => {
    for (const [name, meant] of [
      ['SMTP_ULR', 'SMTP_URL'],
      ['smtp_url', 'SMTP_URL'],
      ['RATE_LIMIT_RESENT', 'RATE_LIMIT_RESET'],
      ['RATE_LIMIT_RESENDS', 'RATE_LIMIT_RESEND'],
      ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
      ['DATABASE_URL_FIL', 'DATABASE_URL_FILE'],
      ['POR', 'PORT'],
    ]) {
      assert.deepEqual(faultsOf({}, `# comment\n${name}=${SECRET}`), [
        `  ${name} in line 2 of .env is not a setting: did you mean ${meant}?`,
      ])
    }
  })

  it('are warned of in .env when they are far from any setting', () => {
    const { warnings } = readConfig({}, parseDotEnv('COLOUR=red'))
    assert.deepEqual(warnings, ['COLOUR in line 1 of .env is not a setting of Portico'])
  })

  it('are warned of in the process environment only when they look like ours', () => {
    const foreign = {
      PATH: '/bin',
      HOME: '/root',
      HOSTNAME: 'a',
      GITHUB_SHA: 'a',
      NODE_OPTIONS: '',
      NODE_PATH: '/',
      TZ: 'UTC',
    }
    const { warnings } = readConfig({ ...foreign, RATE_LIMTS: 'on', SMTP_PASSWORD: SECRET, SMTP_ULR: '' })
    assert.deepEqual(warnings, [
      'RATE_LIMTS is not a setting: did you mean RATE_LIMITS?',
      'SMTP_PASSWORD is not a setting of Portico',
    ])
  })
})

describe('.env', () => {
  const DOT_ENV = `\uFEFF# a comment
  export PORT=8080
HOST = 127.0.0.1   # this machine
MAIL_FROM="Site <site@example.com>" # a name
DATA_DIR='./kept here'
EMPTY=
KEY="one
two"
LOG_LEVEL=warn\r
`

  it('is read as Node reads it', () => {
    const { values, lines, faults } = parseDotEnv(DOT_ENV)
    assert.deepEqual(faults, [])
    assert.deepEqual(
      { ...values },
      {
        PORT: '8080',
        HOST: '127.0.0.1',
        MAIL_FROM: 'Site <site@example.com>',
        DATA_DIR: './kept here',
        EMPTY: '',
        KEY: 'one\ntwo',
        LOG_LEVEL: 'warn',
      },
    )
    assert.deepEqual(
      [...lines],
      [
        ['PORT', 2],
        ['HOST', 3],
        ['MAIL_FROM', 4],
        ['DATA_DIR', 5],
        ['EMPTY', 6],
        ['KEY', 7],
        ['LOG_LEVEL', 9],
      ],
    )
  })

  const broken: [string, string, string][] = [
    ['a line without "="', `${SECRET}`, 'line 2 has no "=": a setting is written NAME=value'],
    ['an invalid name', `1PORT=${SECRET}`, 'line 2 has no valid name before "=": a setting is written NAME=value'],
    ['no name', `=${SECRET}`, 'line 2 has no valid name before "=": a setting is written NAME=value'],
    [
      'a quote that is not closed',
      `DATA_DIR="${SECRET}`,
      'line 2 opens a quote for DATA_DIR that does not end the value',
    ],
    [
      'a quote that a later line closes by chance',
      `DATA_DIR="${SECRET}\nCONTENT_DIR="./content"`,
      'line 2 opens a quote for DATA_DIR that does not end the value',
    ],
    ['words after a quote', `DATA_DIR="a" ${SECRET}`, 'line 2 opens a quote for DATA_DIR that does not end the value'],
    ['a name that is set twice', 'PORT=1', 'line 2 sets PORT again, after line 1'],
  ]
  for (const [what, line, fault] of broken) {
    it(`is refused for ${what}, with the line and without the value`, () => {
      assert.deepEqual(faultsOf({}, `PORT=0\n${line}\n`), [`  .env ${fault}`])
    })
  }
})

describe('secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portico-secrets-'))
  const suite = suiteCleanUp()
  cleanUp(suite, () => rmSync(folder, { recursive: true }))
  const file = join(folder, 'secret')

  it('may stand in a file, with a line break at its end', () => {
    writeFileSync(file, 'postgres://me@host/site\n')
    assert.deepEqual(readConfig({ DATABASE_URL_FILE: file }).database, {
      engine: 'postgres',
      url: 'postgres://me@host/site',
    })
    writeFileSync(file, 'smtps://me@mail.example.com\n')
    assert.equal(readConfig({ SMTP_URL_FILE: file }).mail.smtpUrl, 'smtps://me@mail.example.com')
  })

  it('are not guessed when both places have one', () => {
    writeFileSync(file, 'smtp://one.example')
    assert.deepEqual(faultsOf({ SMTP_URL: 'smtp://two.example', SMTP_URL_FILE: file }), [
      '  SMTP_URL is set, and SMTP_URL_FILE too: keep one of them',
    ])
  })

  it('are missed when their file cannot be read', () => {
    const missing = join(folder, 'missing')
    assert.deepEqual(faultsOf({ DATABASE_URL_FILE: missing }), [
      `  DATABASE_URL_FILE names a file that cannot be read: ${missing}`,
    ])
  })
})
