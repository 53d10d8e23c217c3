import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type CheckParts, type Observation, ok, skipped, warning } from './finding.ts'

const DNS_TIMEOUT_MS = 2000

/** Whether the domain of MAIL_FROM has SPF (RFC 7208) and DMARC (RFC 7489) records. Mail without them is often spam. */
export async function checkMailDomain(
  { config: { mail } }: Pick<CheckParts, 'config'>,
  resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 1 }),
): Promise<Observation[]> {
  const domain = mail.from.address.split('@').at(-1) ?? ''
  if (!mail.smtpUrl) return [skipped('SMTP_URL is not set')]
  if (!domain.includes('.') || domain.startsWith('[') || isIP(domain)) {
    return [skipped(`${domain} is not a domain of the public DNS`)]
  }
  const [spf, dmarc] = await Promise.all([
    hasRecord(resolver, [domain], 'v=spf1'),
    // Without a record of its own, a domain has that of its organization (RFC 7489, section 6.6.3).
    hasRecord(
      resolver,
      parentsOf(domain).map((name) => `_dmarc.${name}`),
      'v=DMARC1',
    ),
  ])
  if (spf === undefined || dmarc === undefined) return [skipped('the DNS does not respond')]
  const observations = [
    ...(spf ? [] : [missing('SPF', domain, 'v=spf1 … -all, with the servers that send your mail')]),
    ...(dmarc ? [] : [missing('DMARC', `_dmarc.${domain}`, 'v=DMARC1; p=quarantine')]),
  ]
  return observations.length > 0 ? observations : [ok(`${domain} has SPF and DMARC records`)]
}

function missing(what: string, name: string, value: string): Observation {
  return warning(
    `there is no ${what} record for the domain of MAIL_FROM: mail may be treated as spam`,
    `Add the TXT record ${name} with ${value}. Your mail provider tells the right value.`,
  )
}

function parentsOf(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}

/** Undefined if the DNS does not respond. */
async function hasRecord(resolver: Resolver, names: string[], prefix: string): Promise<boolean | undefined> {
  for (const name of names) {
    try {
      const records = await resolver.resolveTxt(name)
      if (records.some((parts) => parts.join('').toLowerCase().startsWith(prefix.toLowerCase()))) return true
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code !== 'ENOTFOUND' && code !== 'ENODATA') return undefined
    }
  }
  return false
}
