interface LimitKind {
  /** The default rate. */
  rate: string
  /** What one counter counts. The reference of the settings has the same text. */
  counts: string
  /**
   * While the database cannot be written, requests pass uncounted, so that a full disk does not block reads. Each
   * request is one hit of one counter, and processes reserve hits ahead of demand. Limits without this flag guard a
   * password, a mail or costly work: each request is counted by one statement, and is refused when it cannot be
   * counted.
   */
  mayPassUncounted?: true
}

/** All rate limits. The setting of each is `RATE_LIMIT_` and its name in upper case. */
export const LIMIT_KINDS = {
  api: {
    rate: '100/1m',
    counts: 'all calls of one session, or of one address without a session',
    mayPassUncounted: true,
  },
  login: { rate: '5/1m', counts: 'log-ins for one account from one address' },
  password: { rate: '60/1m', counts: 'password hashes for one address; more for its network' },
  registration: { rate: '30/1h', counts: 'registrations from one address; more for its network' },
  reset: { rate: '3/15m', counts: 'reset codes, for one e-mail from one address' },
  resend: { rate: '3/15m', counts: 'verification codes, for one e-mail from one address' },
  code: {
    rate: '5/15m',
    counts:
      'codes to log in, to prove an identity or to confirm a new address, for one e-mail from one address; ' +
      'new addresses also for one account',
  },
  security: { rate: '30/1h', counts: 'changes of the ways to sign in to one account, from one address' },
  mail: {
    rate: '10/1h',
    counts: 'mails with a code to one address, from all requesters; the window is 1h at most',
  },
  invitation: { rate: '100/1h', counts: 'invitations and reset codes that one owner mails' },
  testmail: { rate: '5/1h', counts: 'test mails of all owners together' },
  upload: { rate: '60/1h', counts: 'uploads of one session, also incomplete ones' },
  download: { rate: '5/1h', counts: 'downloads of all data of one account' },
  megapixels: { rate: '500/1h', counts: 'million pixels in the uploads of one account' },
} as const satisfies Record<string, LimitKind>

export type LimitName = keyof typeof LIMIT_KINDS
export const LIMIT_NAMES = Object.keys(LIMIT_KINDS) as LimitName[]

export function limitSetting(name: LimitName): string {
  return `RATE_LIMIT_${name.toUpperCase()}`
}

export function mayPassUncounted(name: LimitName): boolean {
  return 'mayPassUncounted' in LIMIT_KINDS[name]
}
