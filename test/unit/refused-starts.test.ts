import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { parseDotEnv } from '../../src/config/dot-env.ts'
import { configErrorsOf, PRODUCTION, SECRET } from '../support/service.ts'

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
      const faults = configErrorsOf(env)
      assert.equal(faults.length, 1)
      assert.match(faults[0] ?? '', /^ {2}NODE_ENV is not set, .+ set NODE_ENV=production, or NODE_ENV=development /)
      const { warnings } = readConfig({ ...env, NODE_ENV: 'development' })
      assert.equal(warnings.length, 1)
      assert.match(warnings[0] ?? '', /^development mode, and /)
    })
  }

  it('is not one that only this machine can reach, whatever its name', () => {
    for (const host of ['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.1.2.3', '[::1]']) {
      assert.deepEqual(configErrorsOf({ BASE_URL: `http://${host}:3000` }), [], host)
    }
    for (const HOST of ['localhost', '127.0.0.1', '::1', '::ffff:127.0.0.1'])
      assert.deepEqual(configErrorsOf({ HOST }), [])
  })
})

describe('the address of a production service', () => {
  const faultsWith = (BASE_URL: string) => configErrorsOf({ ...PRODUCTION, BASE_URL })

  it('must be set, and be https', () => {
    assert.match(faultsWith('')[0] ?? '', /^ {2}BASE_URL is required in production: .+https:\/\/example\.com$/)
    for (const url of ['http://site.example', 'http://10.0.0.1', 'http://localhost.site.example']) {
      assert.match(faultsWith(url)[0] ?? '', /^ {2}BASE_URL must start with https:\/\/ in production/)
    }
  })

  it('may be http on this machine, when it is set explicitly, with a warning', () => {
    const { warnings } = readConfig({ ...PRODUCTION, BASE_URL: 'http://localhost:3000' })
    assert.ok(warnings.some((warning) => warning.startsWith('BASE_URL=http://localhost:3000 is for trying')))
  })
})

describe('a production service', () => {
  const recommended = 'PASSWORD_POLICY=nist is recommended: 15 characters at least, and common passwords refused'

  it('gets a warning without the NIST password policy', () => {
    assert.deepEqual(readConfig(PRODUCTION).warnings, [recommended])
    assert.deepEqual(readConfig({ ...PRODUCTION, PASSWORD_POLICY: 'nist' }).warnings, [])
  })

  it('gets a warning when every address is a trusted proxy', () => {
    const warningsWith = (TRUSTED_PROXIES: string) =>
      readConfig({ ...PRODUCTION, PASSWORD_POLICY: 'nist', TRUSTED_PROXIES }).warnings
    for (const everything of ['0.0.0.0/0', '::/0', '10.0.0.0/8, ::/0']) {
      assert.match(warningsWith(everything).join(), /^TRUSTED_PROXIES trusts every address: /)
    }
    assert.deepEqual(warningsWith('10.0.0.0/8 ::1'), [])
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

  it('causes a warning when it is off, and cannot be switched off in the URL', () => {
    const env = { SMTP_URL: 'smtp://mail.example.com', SMTP_TLS: 'off' }
    assert.match(readConfig(env).warnings.join(), /^SMTP_TLS=off: /)
    for (const option of ['requireTLS=false', 'ignoreTLS=true', 'tls.rejectUnauthorized=false']) {
      assert.match(
        configErrorsOf({ SMTP_URL: `smtp://mail.example.com?${option}` }).join(),
        /^ {2}SMTP_URL must end after/,
      )
    }
  })
})

describe('unknown settings', () => {
  it('are refused in .env when they are similar to a setting, with the nearest one and their line', () => {
    for (const [name, meant] of [
      ['SMTP_ULR', 'SMTP_URL'],
      ['smtp_url', 'SMTP_URL'],
      ['RATE_LIMIT_RESENT', 'RATE_LIMIT_RESET'],
      ['RATE_LIMIT_RESENDS', 'RATE_LIMIT_RESEND'],
      ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
      ['DATABASE_URL_FIL', 'DATABASE_URL_FILE'],
      ['POR', 'PORT'],
    ]) {
      assert.deepEqual(configErrorsOf({}, `# comment\n${name}=${SECRET}`), [
        `  ${name} in line 2 of .env is not a setting: did you mean ${meant}?`,
      ])
    }
  })

  it('cause a warning in .env when they are similar to no setting', () => {
    const { warnings } = readConfig({}, parseDotEnv('COLOUR=red'))
    assert.deepEqual(warnings, ['COLOUR in line 1 of .env is not a setting of Portico'])
  })

  it('cause a warning in the process environment only when they look like ours', () => {
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

  it('is parsed as Node parses it', () => {
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
    [
      'a "#" in a value without quotes, which would end the value',
      `DATA_DIR=${SECRET}#2 # ours`,
      'line 2 has a "#" in the value of DATA_DIR: put the value in quotes, or a space before a comment',
    ],
    ['a name that is set twice', 'PORT=1', 'line 2 sets PORT again, after line 1'],
  ]
  for (const [what, line, fault] of broken) {
    it(`is refused for ${what}, with the line and without the value`, () => {
      assert.deepEqual(configErrorsOf({}, `PORT=0\n${line}\n`), [`  .env ${fault}`])
    })
  }
})
