import { daysBetween, type Observation, warning } from './finding.ts'

const WARNING_DAYS = 14

/** A warning if a certificate expires soon. */
export function observeExpiry(whose: string, expiresAt: Date | undefined): Observation[] {
  if (!expiresAt) return []
  const days = daysBetween(Date.now(), expiresAt.valueOf())
  if (days >= WARNING_DAYS) return []
  return [
    warning(
      `the certificate of ${whose} expires in ${days} days, on ${expiresAt.toISOString().slice(0, 10)}`,
      'Renew it, and make sure that its renewal is automatic.',
    ),
  ]
}
