import { randomInt } from 'node:crypto'

/** 3 to 30 characters. The first and the last one are letters or digits. */
export const USERNAME = '^[A-Za-z0-9][A-Za-z0-9_.-]{1,28}[A-Za-z0-9]$'

// Paths that the site has or may get, and names that look like those of its operator.
const RESERVED = new Set(
  `about account accounts admin administrator api assets auth blog contact contributions contributions.svg dev docs
  favicon.ico feed feed.json feed.xml forgot-password healthz help home index legal llms llms.txt llms-full.txt log-in
  log-out login logout mail me moderator null oauth official openapi openapi.json operator owner portico posts privacy
  readyz register reset-password robots robots.txt root rss security settings sign-in sign-out sign-up signin signup
  sitemap sitemap.xml staff static status support system tags terms undefined uploads user users verify-email
  webmaster well-known www`.split(/\s+/),
)

/** Usernames are unique without regard to case. */
export function usernameKey(username: string): string {
  return username.toLowerCase()
}

export function isReserved(username: string): boolean {
  return RESERVED.has(usernameKey(username))
}

/** Usernames for a new account: the preferred one, the name, then the name with two to six random digits. */
export function* usernameCandidates(firstName: string, lastName: string, preferred = ''): Generator<string> {
  if (new RegExp(USERNAME).test(preferred) && !isReserved(preferred)) yield preferred
  const parts = [firstName, lastName].map(toAscii).filter(Boolean)
  const base = parts.join('.').slice(0, 24).replace(/[.-]$/, '') || 'user'
  if (base.length >= 3 && !isReserved(base)) yield base
  for (let digits = 2; digits <= 5; digits++) yield base + randomInt(10 ** (digits - 1), 10 ** digits)
  for (;;) yield base + randomInt(100_000, 1_000_000)
}

/** Converts "Żółć-Nowak" to "zolc-nowak". Removes characters that have no Latin equivalent. */
function toAscii(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[łŁ]/g, 'l')
    .replace(/[øØ]/g, 'o')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .split('-')
    .filter(Boolean)
    .join('-')
}
