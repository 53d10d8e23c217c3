import { LIMIT_KINDS, LIMIT_NAMES, limitSetting } from './limit-kinds.ts'

/** The description of one setting, or of several that belong together, in markdown. */
export interface SettingDescription {
  names: readonly string[]
  /** The value without the setting, in words where it is not fixed. */
  default: string
  meaning: string
}

/** The settings that may also be read from a file, which the same name with `_FILE` at its end names. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'SMTP_URL',
  'CODEHOST_CLIENT_SECRET',
  'IDP_CLIENT_SECRET',
  'GITHUB_TOKEN',
  'BREACHED_PASSWORDS_URL',
  'ENCRYPTION_KEY',
  'METRICS_TOKEN',
] as const

export type SecretSetting = (typeof SECRET_SETTINGS)[number]

/** Every setting by subject: the source of the reference page and of the `.env` that `portico init` writes. */
export const SETTING_DESCRIPTIONS: Record<string, readonly SettingDescription[]> = {
  Server: [
    {
      names: ['NODE_ENV'],
      default: 'development',
      meaning:
        '`production` turns rate limits on and the mailbox off, logs JSON, and needs `BASE_URL` and `SMTP_URL`; must be set when `BASE_URL` or `HOST` is public',
    },
    {
      names: ['PORT', 'HOST'],
      default: '3000, 127.0.0.1',
      meaning: 'port and address to listen on; in production the address is 0.0.0.0',
    },
    {
      names: ['WORKERS'],
      default: '1',
      meaning: 'number of serving processes; `auto`: one per core',
    },
    {
      names: ['BASE_URL'],
      default: 'http://localhost:PORT',
      meaning: 'the public URL, which tokens and mails contain; https in production',
    },
    {
      names: ['DRAIN_SECONDS'],
      default: '0, in production 2',
      meaning: 'time of serving after SIGTERM while `/readyz` responds with 503; at most 4',
    },
    {
      names: ['TRUSTED_PROXIES'],
      default: 'none',
      meaning:
        'addresses or CIDR ranges of proxies whose `X-Forwarded-For` determines the client address, and whose `traceparent` is logged and passed on',
    },
  ],
  Database: [
    {
      names: ['DATA_DIR'],
      default: './data',
      meaning: 'the SQLite file, the smaller sizes of pictures and, in development, the mailbox',
    },
    {
      names: ['DATABASE_URL'],
      default: 'SQLite in DATA_DIR',
      meaning: '`file:./some.db` or `postgres://user:password@host/database`',
    },
  ],
  Mail: [
    {
      names: ['SMTP_URL'],
      default: 'none',
      meaning:
        '`smtp://user:password@host:587` or `smtps://…`; in the password, % is written %25, / %2F, # %23, ? %3F, @ %40',
    },
    {
      names: ['SMTP_TLS'],
      default: 'on, off on this machine',
      meaning: '`off` sends mail to an `smtp://` server in plain text',
    },
    {
      names: ['MAIL_FROM'],
      default: 'no-reply@host',
      meaning: 'the sender of mails; without a name, the title of the site is its name',
    },
  ],
  'Sign-in providers': [
    {
      names: ['CODEHOST_CLIENT_ID', 'CODEHOST_CLIENT_SECRET'],
      default: 'none',
      meaning: 'sign-in with GitHub; see the guide on sign-in providers',
    },
    {
      names: ['CODEHOST_URL', 'CODEHOST_API_URL'],
      default: "GitHub's",
      meaning: "another host with GitHub's addresses, such as GitHub Enterprise, Gitea or Forgejo",
    },
    {
      names: ['CODEHOST_NAME', 'IDP_NAME'],
      default: 'its host',
      meaning: 'display name of the provider on buttons, pages and in mails; 40 characters at most',
    },
    {
      names: ['IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'],
      default: 'none',
      meaning: 'sign-in with an OpenID Connect provider',
    },
    {
      names: ['IDP_ISSUER'],
      default: "Google's",
      meaning: 'the provider, found by discovery',
    },
  ],
  Content: [
    {
      names: ['CONTENT_DIR'],
      default: './content',
      meaning: 'posts and pages in markdown',
    },
    {
      names: ['GITHUB_USERNAME', 'GITHUB_TOKEN'],
      default: 'none',
      meaning: 'the account whose contributions the home page shows, and a token that may read them',
    },
    {
      names: ['GITHUB_API_URL'],
      default: "GitHub's",
      meaning: 'the whole address of another GraphQL API for them, such as https://github.example.com/api/graphql',
    },
  ],
  'Pictures and browsers': [
    {
      names: ['UPLOAD_URL'],
      default: 'BASE_URL/uploads',
      meaning: 'base URL of uploaded pictures: `/uploads` of this service, or of a cache in front of it',
    },
    {
      names: ['AVATAR_HOSTS'],
      default: 'any',
      meaning: 'allowed hosts of avatar URLs, separated by commas',
    },
    {
      names: ['CORS_ORIGINS'],
      default: 'none',
      meaning: 'origins whose pages may call the API from a browser, such as https://app.example.com',
    },
  ],
  'Accounts and security': [
    {
      names: ['PASSWORD_POLICY'],
      default: 'basic',
      meaning: '`basic`: 8 characters and an uppercase letter; `nist`, recommended: 15 characters, common ones refused',
    },
    {
      names: ['SESSION_LIFETIME'],
      default: '180d',
      meaning: 'absolute lifetime of a session, independent of its activity; such as 30d or 12h',
    },
    {
      names: ['REAUTHENTICATE_AFTER'],
      default: '15m',
      meaning: 'for how long a proof of identity allows sensitive changes, such as another e-mail address',
    },
    {
      names: ['OWNER_EMAIL'],
      default: 'none',
      meaning:
        'the account with this address becomes an owner of the site when the address is verified; `portico owner add` does the same for an existing account',
    },
    {
      names: ['MAILED_CODE_LOG_IN'],
      default: 'on',
      meaning: '`on` or `off`: whether people can log in with a mailed code',
    },
    {
      names: ['BREACHED_PASSWORDS_URL'],
      default: 'none',
      meaning:
        'range API that new passwords are looked up in, such as `https://api.pwnedpasswords.com/range/`; only 5 characters of a hash are sent',
    },
    {
      names: ['ENCRYPTION_KEY'],
      default: 'none',
      meaning:
        '32 bytes in base64url; the secrets of authenticator apps and webhooks are then encrypted with it too, so that a copy of the database does not reveal them',
    },
    {
      names: ['SECURITY_CONTACT'],
      default: 'none',
      meaning:
        'where to report a security problem, such as security@example.com; published at `/.well-known/security.txt`',
    },
  ],
  Webhooks: [
    {
      names: ['WEBHOOK_PRIVATE_ADDRESSES'],
      default: 'off',
      meaning:
        '`on`: webhooks may also call loopback and private addresses, and these without TLS; `off`: only addresses on the Internet, in production only with https',
    },
  ],
  'Rate limits': [
    {
      names: ['RATE_LIMITS'],
      default: 'on in production',
      meaning: '`on` or `off`',
    },
    ...LIMIT_NAMES.map((name) => ({
      names: [limitSetting(name)],
      default: LIMIT_KINDS[name].rate,
      meaning: LIMIT_KINDS[name].counts,
    })),
  ],
  'Log and metrics': [
    {
      names: ['LOG_LEVEL'],
      default: 'info',
      meaning: '`debug`, `info`, `warn`, `error` or `silent`',
    },
    {
      names: ['LOG_FORMAT'],
      default: 'pretty, in production json',
      meaning: '`json`: one JSON object in each line, for programs; `pretty`: lines for people',
    },
    {
      names: ['METRICS_PORT', 'METRICS_HOST'],
      default: 'none, 127.0.0.1',
      meaning: 'port and address of a listener of its own for `/metrics`, in the format of Prometheus',
    },
    {
      names: ['METRICS_TOKEN'],
      default: 'none',
      meaning: 'at least 16 characters: `/metrics` is then also at `PORT`, for requests with this bearer token',
    },
  ],
}
