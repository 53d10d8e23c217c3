import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { isLoopbackHost } from '../lib/local-address.ts'
import { type DatabaseSettings, readDatabase } from './database-settings.ts'
import { type DotEnv, parseDotEnv } from './dot-env.ts'
import { LIMIT_KINDS, LIMIT_NAMES, type LimitName, limitSetting } from './limit-kinds.ts'
import { type MetricsSettings, readMetrics } from './metrics-settings.ts'
import { readCodehost, readGithub, readIdp } from './provider-settings.ts'
import { type Rate, SettingsReader } from './settings-reader.ts'
import { findUnknownSettings } from './unknown-settings.ts'
import { withoutSlash } from './without-slash.ts'

/** How long the link in a mail works. */
export const LINK_LIFETIME_SECONDS = 60 * 60

export interface Config {
  mode: 'development' | 'production'
  /** Whether NODE_ENV is set. Without it, requests that a proxy forwarded for a public address are refused. */
  isModeSet: boolean
  host: string
  port: number
  /** Number of serving processes. */
  workers: number
  /** Time between SIGTERM and closing the listener, during which /readyz responds with 503. */
  drainSeconds: number
  baseUrl: string
  dataDir: string
  database: DatabaseSettings
  /**
   * `requireTls` is about STARTTLS with `smtp:`; `smtps:` always uses TLS. A sender without a name gets the title of
   * the site.
   */
  mail: { smtpUrl: string | undefined; requireTls: boolean; from: { name: string | undefined; address: string } }
  /** Sign-in through a code host; undefined when it is not configured. */
  codehost: ReturnType<typeof readCodehost>
  /** Sign-in through an OpenID Connect provider; undefined when it is not configured. */
  idp: ReturnType<typeof readIdp>
  /** The account whose contributions the calendar shows; undefined when it is not configured. */
  github: ReturnType<typeof readGithub>
  /** Posts and pages in markdown. */
  contentDir: string
  uploadUrl: string
  /** Hosts that an avatar URL may have; undefined allows any host. */
  avatarHosts: string[] | undefined
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: string[]
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-For entries determine the client address. */
  trustedProxies: string[]
  /** Undefined when rate limiting is off. */
  rateLimits: Record<LimitName, Rate> | undefined
  passwordPolicy: 'basic' | 'nist'
  /** Absolute lifetime of a session, independent of its activity. */
  sessionLifetimeMs: number
  /** For how long a proof of identity allows sensitive operations. */
  reauthenticateAfterMs: number
  /** The account with this address becomes an owner when the address is verified. */
  ownerEmail: string | undefined
  /** Whether people can sign in with a code that is mailed to them. */
  mailedCodeLogIn: boolean
  /** Whether webhooks may be sent to addresses that are not on the Internet, and without TLS to these. */
  webhookPrivateAddresses: boolean
  /** The range API for breached passwords; undefined when they are not looked up. */
  breachedPasswordsUrl: string | undefined
  /** An encryption key beside the one in the database; undefined when it is not set. */
  encryptionKey: Buffer | undefined
  /** Where to report a security problem: URIs, the preferred one first. */
  securityContacts: string[]
  logLevel: string
  /** `json`: one JSON object in each line. `pretty`: for people. */
  logFormat: 'json' | 'pretty'
  /** Undefined when metrics are off. */
  metrics: MetricsSettings | undefined
  /** Messages about allowed but risky settings, logged at start. */
  warnings: string[]
  /** The files that secrets were read from: `.env`, and those that settings such as SMTP_URL_FILE name. */
  secretFiles: string[]
}

const NO_FILE: DotEnv = { values: {}, lines: new Map(), faults: [] }

/** Reads the settings of this process. Its environment overrides an optional `.env` in the working directory. */
export function loadConfig(): Config {
  return readConfig(process.env, existsSync('.env') ? parseDotEnv(readFileSync('.env', 'utf8')) : NO_FILE)
}

/** Reads and checks all settings. Throws one `ConfigError` that lists every fault. */
export function readConfig(env: NodeJS.Dict<string>, file: DotEnv = NO_FILE): Config {
  const read = new SettingsReader({ ...file.values, ...env })
  // A misspelt "production" is a fault: it must not fall back to development.
  const production = read.oneOf('NODE_ENV', ['development', 'test', 'production'], 'development') === 'production'
  const isModeSet = read.isSet('NODE_ENV')

  const port = read.port('PORT', 3000)
  const host = read.text('HOST', production ? '0.0.0.0' : '127.0.0.1')
  const baseUrl = readBaseUrl(read, production, port)
  const exposure = exposureOf(host, baseUrl)
  if (exposure && !isModeSet) {
    read.fault(
      'NODE_ENV',
      `is not set, and ${exposure}: set NODE_ENV=production, or NODE_ENV=development on a machine that strangers cannot reach`,
    )
  }
  const dataDir = resolve(read.text('DATA_DIR', './data'))

  const config: Config = {
    mode: production ? 'production' : 'development',
    isModeSet,
    host,
    port,
    workers: read.workers('WORKERS'),
    drainSeconds: read.seconds('DRAIN_SECONDS', production ? 2 : 0, 4),
    baseUrl,
    dataDir,
    database: readDatabase(read, dataDir),
    mail: readMail(read, production, baseUrl),
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
    sessionLifetimeMs: read.duration('SESSION_LIFETIME', '180d'),
    reauthenticateAfterMs: read.duration('REAUTHENTICATE_AFTER', '15m'),
    ownerEmail: read.email('OWNER_EMAIL'),
    mailedCodeLogIn: read.oneOf('MAILED_CODE_LOG_IN', ['on', 'off'], 'on') === 'on',
    webhookPrivateAddresses: read.oneOf('WEBHOOK_PRIVATE_ADDRESSES', ['on', 'off'], 'off') === 'on',
    breachedPasswordsUrl: read.optionalUrl('BREACHED_PASSWORDS_URL', ['http:', 'https:']),
    encryptionKey: read.key('ENCRYPTION_KEY'),
    securityContacts: read.contacts('SECURITY_CONTACT'),
    logLevel: read.oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
    logFormat: read.oneOf('LOG_FORMAT', ['json', 'pretty'], production ? 'json' : 'pretty'),
    metrics: readMetrics(read, port),
    warnings: [],
    secretFiles: [],
  }
  const unknown = findUnknownSettings(read.names, env, file)
  for (const fault of file.faults) read.fault('.env', fault)
  for (const fault of unknown.faults) read.fault(...fault)
  read.throwFaults(unknown.warnings)
  const isSecretInFile = read.secretNames.some((name) => isSecret(file.values[name]))
  return Object.freeze({
    ...config,
    warnings: [...unknown.warnings, ...warningsOf(config, exposure)],
    secretFiles: [...(isSecretInFile ? ['.env'] : []), ...read.secretFiles],
  })
}

/** A URL without a password, such as the address of a mail server without log-in, is no secret. */
function isSecret(value: string | undefined): boolean {
  return Boolean(value) && URL.parse(value ?? '')?.password !== ''
}

/** In production BASE_URL is required and must be https: tokens, `Secure` cookies and links in mails depend on it. */
function readBaseUrl(read: SettingsReader, production: boolean, port: number): string {
  const baseUrl = canonical(read.url('BASE_URL', ['http:', 'https:'], `http://localhost:${port}`))
  if (production && !read.isSet('BASE_URL')) {
    read.fault('BASE_URL', 'is required in production: the address that people use, for example https://example.com')
  } else if (!/^https?:\/\/(?:[\w-]+(?:\.[\w-]+)*|\[[\da-f:.]+\])(?::\d+)?(?:\/|$)/i.test(baseUrl)) {
    read.fault('BASE_URL', 'must have a host name or an IP address, such as https://example.com')
    return `http://localhost:${port}`
  } else if (production && baseUrl.startsWith('http:') && !isLoopbackHost(hostOf(baseUrl))) {
    read.fault('BASE_URL', 'must start with https:// in production; only an address of this machine may be http://')
  }
  return baseUrl
}

/** Names the setting that makes the service reachable from other machines; undefined when none does. */
function exposureOf(host: string, baseUrl: string): string | undefined {
  if (baseUrl.startsWith('https:') || !isLoopbackHost(hostOf(baseUrl))) return `BASE_URL=${baseUrl} looks public`
  return isLoopbackHost(host) ? undefined : `HOST=${host} lets other machines connect`
}

function readMail(read: SettingsReader, production: boolean, baseUrl: string): Config['mail'] {
  const smtpUrl = read.optionalUrl('SMTP_URL', ['smtp:', 'smtps:'])
  if (smtpUrl && !hostOf(smtpUrl)) read.fault('SMTP_URL', 'must name a host, such as smtp://mail.example.com:587')
  if (production && !smtpUrl && !read.hasFault('SMTP_URL')) {
    read.fault('SMTP_URL', 'is required in production, for example smtp://user:password@mail.example.com:587')
  }
  // Nodemailer reads options from the query of the URL. Some of them would override SMTP_TLS.
  // A path or a fragment is the end of a password with "/" or "#" that begins with digits: those were taken for a port.
  const { search = '', pathname = '', hash = '' } = URL.parse(smtpUrl ?? '') ?? {}
  if (search || hash || !['', '/'].includes(pathname))
    read.fault('SMTP_URL', 'must end after host and port; in a password write / as %2F, # as %23 and ? as %3F')
  const isLocal = smtpUrl === undefined || isLoopbackHost(hostOf(smtpUrl))
  return {
    smtpUrl,
    requireTls: read.oneOf('SMTP_TLS', ['on', 'off'], isLocal ? 'off' : 'on') === 'on',
    from: read.sender('MAIL_FROM', `no-reply@${hostOf(baseUrl)}`),
  }
}

function warningsOf(
  { mode, baseUrl, mail, trustedProxies, passwordPolicy }: Config,
  exposure: string | undefined,
): string[] {
  const warnings: string[] = []
  if (mode === 'development' && exposure) {
    warnings.push(
      `development mode, and ${exposure}: rate limits are off unless set, and nothing here is fit for strangers`,
    )
  }
  if (mode === 'production' && baseUrl.startsWith('http:')) {
    warnings.push(`BASE_URL=${baseUrl} is for trying production out: tokens and mails name this machine`)
  }
  if (mail.smtpUrl?.startsWith('smtp:') && !mail.requireTls && !isLoopbackHost(hostOf(mail.smtpUrl))) {
    warnings.push('SMTP_TLS=off: mail with codes and links crosses the network in plain text')
  }
  if (trustedProxies.some((range) => range.endsWith('/0'))) {
    warnings.push('TRUSTED_PROXIES trusts every address: any client can make up its own in X-Forwarded-For')
  }
  if (mode === 'production' && passwordPolicy === 'basic') {
    warnings.push('PASSWORD_POLICY=nist is recommended: 15 characters at least, and common passwords refused')
  }
  return warnings
}

function readRateLimits(read: SettingsReader, production: boolean): Config['rateLimits'] {
  const rates = LIMIT_NAMES.map((name) => [name, read.rate(limitSetting(name), LIMIT_KINDS[name].rate)])
  const limits: Record<LimitName, Rate> = Object.fromEntries(rates)
  // The newest mailed link must stay valid until the limit allows the next mail.
  if (limits.mail.seconds > LINK_LIFETIME_SECONDS) {
    read.fault('RATE_LIMIT_MAIL', 'must have a time of at most 1h, which is how long a mailed link works')
  }
  return read.oneOf('RATE_LIMITS', ['on', 'off'], production ? 'on' : 'off') === 'on' ? limits : undefined
}

/** Serializes the URL as browsers do (WHATWG URL), because origins and redirect URIs are compared as strings. */
function canonical(url: string): string {
  const { origin, pathname } = new URL(url)
  return withoutSlash(origin + pathname)
}

function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? 'localhost'
}
