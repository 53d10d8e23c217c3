import { randomInt } from 'node:crypto'

/** 3 to 30 characters, the first and last of them a letter or digit. */
export const USERNAME = '^[A-Za-z0-9][A-Za-z0-9_.-]{1,28}[A-Za-z0-9]$'

// Addresses of the site, present and to come, and names that would pass for its operator.
const RESERVED = new Set(
  `about account accounts admin administrator api assets auth blog contact contributions contributions.svg dev docs
  favicon.ico feed feed.json feed.xml forgot-password healthz help home index legal llms llms.txt llms-full.txt log-in
  log-out login logout mail me moderator null oauth official openapi openapi.json operator owner portico posts privacy
  readyz register reset-password robots robots.txt root rss security settings sign-in sign-out sign-up signin signup
  sitemap sitemap.xml staff static status support system tags terms undefined uploads user users verify-email
  webmaster well-known www`.split(/\s+/),
)

/** Usernames are one when they differ only in case. */
export function usernameKey(username: string): string {
  return username.toLowerCase()
}

export function isReserved(username: string): boolean {
  return RESERVED.has(usernameKey(username))
}

/** Usernames for a new account, the plainest first; each later one is less likely to be taken. */
export function* usernameCandidates(firstName: string, lastName: string, wish = ''): Generator<string> {
  if (new RegExp(USERNAME).test(wish) && !isReserved(wish)) yield wish
  const parts = [firstName, lastName].map(toAscii).filter(Boolean)
  const base = parts.join('.').slice(0, 24).replace(/[.-]$/, '') || 'user'
  if (base.length >= 3 && !isReserved(base)) yield base
  for (let digits = 2; digits <= 5; digits++) yield base + randomInt(10 ** (digits - 1), 10 ** digits)
  for (;;) yield base + randomInt(100_000, 1_000_000)
}

/** "Żółć-Nowak" becomes "zolc-nowak"; what has no Latin form falls away. */
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
