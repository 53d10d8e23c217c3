import { domainToASCII } from 'node:url'
import { REGISTRATION_MODES } from '../accounts/registration.ts'
import { NO_NUL } from '../http/fields.ts'
import { constantNames } from '../http/openapi-components.ts'
import { invalid } from '../http/refusal.ts'
import { oneOf, Type } from '../http/schema.ts'

const MAX_DOMAINS = 100
// A domain has at most 253 characters, and each label at most 63 (RFC 1035, section 2.3.4).
const MAX_DOMAIN_CHARACTERS = 253
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`)
const PRINTABLE_ASCII = /^[!-~]*$/

export const RegistrationMode = oneOf(REGISTRATION_MODES, {
  title: 'RegistrationMode',
  ...constantNames(REGISTRATION_MODES, 'Registration'),
  description: '`open` admits everybody, `invite` only invited addresses, and `closed` nobody',
  examples: ['invite'],
})

export const AllowedDomains = Type.Array(
  Type.String({ 'x-normalise': 'trim', maxLength: MAX_DOMAIN_CHARACTERS, ...NO_NUL, examples: ['example.com'] }),
  {
    maxItems: MAX_DOMAINS,
    description:
      'If there are any, `open` admits only addresses of these domains, without their subdomains, and invited addresses',
    examples: [['example.com']],
  },
)

/** The domains as they are in stored addresses: in lower case, as ASCII, each once. Refuses what is no domain. */
export function normalisedDomains(domains: string[]): string[] {
  return [...new Set(domains.map(normalised))].sort()
}

function normalised(domain: string): string {
  // `domainToASCII` parses some ASCII texts as IPv4 addresses.
  const ascii = PRINTABLE_ASCII.test(domain) ? domain.toLowerCase() : domainToASCII(domain)
  if (ascii.length > MAX_DOMAIN_CHARACTERS || !DOMAIN.test(ascii)) {
    throw invalid('allowedDomains', 'invalid_format', 'Allowed domains must be domains such as example.com')
  }
  return ascii
}
