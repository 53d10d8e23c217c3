import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { type Rate, SettingsReader } from './settings-reader.ts'

export interface Config {
  mode: 'development' | 'production'
  host: string
  port: number
  /** How many processes serve. */
  workers: number
  baseUrl: string
  dataDir: string
  database: { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string }
  mail: { smtpUrl: string | undefined; from: string }
  /** Sign-in through a code host; undefined when it is not set up. */
  codehost: { clientId: string; clientSecret: string; url: string; apiUrl: string } | undefined
  /** Sign-in through an OpenID Connect provider; undefined when it is not set up. */
  idp: { clientId: string; clientSecret: string; issuer: string } | undefined
  /** Whose contributions the calendar shows; undefined when it is not set up. */
  github: { username: string; token: string; apiUrl: string } | undefined
  /** Posts and pages in markdown. */
  contentDir: string
  uploadUrl: string
  /** Host names an avatar may live on; undefined means any. */
  avatarHosts: string[] | undefined
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: string[]
  /** Addresses and CIDR ranges whose X-Forwarded-For entries are believed by the rate limits. */
  trustedProxies: string[]
  /** Undefined when rate limiting is off. */
  rateLimits: { login: Rate; reset: Rate; resend: Rate; api: Rate } | undefined
  passwordPolicy: 'basic' | 'nist'
  /** Where to report a security problem: URIs, the preferred one first. */
  securityContacts: string[]
  logLevel: string
}

/** The process environment on top of an optional `.env` in the working directory. */
export function environment(): NodeJS.ProcessEnv {
  return existsSync('.env') ? { ...parseEnv(readFileSync('.env', 'utf8')), ...process.env } : process.env
}

/** Reads every setting once. Throws one `ConfigError` that names all faults, not only the first. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const read = new SettingsReader(env)
  // A misspelt "production" must not quietly mean development.
  const production = read.oneOf('NODE_ENV', ['development', 'test', 'production'], 'development') === 'production'

  const port = read.port('PORT', 3000)
  const baseUrl = canonical(read.url('BASE_URL', ['http:', 'https:'], `http://localhost:${port}`))
  const dataDir = resolve(read.text('DATA_DIR', './data'))
  const smtpUrl = read.optionalUrl('SMTP_URL', ['smtp:', 'smtps:'])
  if (production && !smtpUrl) {
    read.fault('SMTP_URL', 'is required in production, for example smtp://user:password@mail.example.com:587')
  }

  const config: Config = {
    mode: production ? 'production' : 'development',
    host: read.text('HOST', production ? '0.0.0.0' : '127.0.0.1'),
    port,
    workers: read.workers('WORKERS'),
    baseUrl,
    dataDir,
    database: readDatabase(read, dataDir),
    mail: { smtpUrl, from: read.sender('MAIL_FROM', `Portico <no-reply@${hostOf(baseUrl)}>`) },
    codehost: readCodehost(read, production),
    idp: readIdp(read, production),
    github: readGithub(read, production),
    contentDir: resolve(read.text('CONTENT_DIR', './content')),
    uploadUrl: withoutSlash(read.url('UPLOAD_URL', ['http:', 'https:'], `${baseUrl}/uploads`)),
    avatarHosts: read.hosts('AVATAR_HOSTS'),
    corsOrigins: read.origins('CORS_ORIGINS'),
    trustedProxies: read.addresses('TRUSTED_PROXIES'),
    rateLimits: readRateLimits(read, production),
    passwordPolicy: read.oneOf('PASSWORD_POLICY', ['basic', 'nist'], 'basic'),
    securityContacts: read.contacts('SECURITY_CONTACT'),
    logLevel: read.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  }
  read.throwFaults()
  return Object.freeze(config)
}

function readDatabase(read: SettingsReader, dataDir: string): Config['database'] {
  const url = read.secret('DATABASE_URL')
  if (!url) return { engine: 'sqlite', file: resolve(dataDir, 'portico.db') }
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return { engine: 'postgres', url }
  if (url.startsWith('file:')) return { engine: 'sqlite', file: resolve(url.slice('file:'.length)) }
  read.fault('DATABASE_URL', 'must look like file:./data/portico.db or postgres://user:password@host/database')
  return { engine: 'sqlite', file: '' }
}

function readCodehost(read: SettingsReader, production: boolean): Config['codehost'] {
  const client = readClient(read, 'CODEHOST')
  const protocols = providerProtocols(production)
  const url = withoutSlash(read.url('CODEHOST_URL', protocols, 'https://github.com'))
  const apiUrl = withoutSlash(read.url('CODEHOST_API_URL', protocols, 'https://api.github.com'))
  return client && { ...client, url, apiUrl }
}

function readIdp(read: SettingsReader, production: boolean): Config['idp'] {
  const client = readClient(read, 'IDP')
  const issuer = read.url('IDP_ISSUER', providerProtocols(production), 'https://accounts.google.com')
  return client && { ...client, issuer }
}

function readClient(read: SettingsReader, name: 'CODEHOST' | 'IDP') {
  const clientId = read.text(`${name}_CLIENT_ID`, '')
  const clientSecret = read.secret(`${name}_CLIENT_SECRET`) ?? ''
  if (!clientId && !clientSecret) return undefined
  if (!clientId) read.fault(`${name}_CLIENT_ID`, `is missing: ${name}_CLIENT_SECRET is set`)
  if (!clientSecret) read.fault(`${name}_CLIENT_SECRET`, `is missing: ${name}_CLIENT_ID is set`)
  return { clientId, clientSecret }
}

function readGithub(read: SettingsReader, production: boolean): Config['github'] {
  const username = read.text('GITHUB_USERNAME', '')
  const token = read.secret('GITHUB_TOKEN')
  const apiUrl = read.url('GITHUB_API_URL', providerProtocols(production), 'https://api.github.com/graphql')
  return username && token ? { username, token, apiUrl } : undefined
}

/** On a developer's own machine a provider may speak plain HTTP. */
function providerProtocols(production: boolean): string[] {
  return production ? ['https:'] : ['https:', 'http:']
}

function readRateLimits(read: SettingsReader, production: boolean): Config['rateLimits'] {
  const limits = {
    login: read.rate('RATE_LIMIT_LOGIN', '5/1m'),
    reset: read.rate('RATE_LIMIT_RESET', '3/15m'),
    resend: read.rate('RATE_LIMIT_RESEND', '3/15m'),
    api: read.rate('RATE_LIMIT_API', '100/1m'),
  }
  return read.oneOf('RATE_LIMITS', ['on', 'off'], production ? 'on' : 'off') === 'on' ? limits : undefined
}

/** One spelling, as browsers and providers write it: what is compared with it must be the same to the letter. */
function canonical(url: string): string {
  const { origin, pathname } = new URL(url)
  return withoutSlash(origin + pathname)
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? 'localhost'
}
