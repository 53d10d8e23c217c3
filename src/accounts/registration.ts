import type { Query, Tx } from '../database/engine.ts'

export const REGISTRATION_MODES = ['open', 'invite', 'closed'] as const

/** The rule for creating an account. */
export interface Registration {
  mode: (typeof REGISTRATION_MODES)[number]
  /** If there are any, `open` admits only addresses of these domains. In lower case, without their subdomains. */
  allowedDomains: string[]
}

/** The row of `site_settings`. */
export const REGISTRATION_SETTING = 'registration'
export const DEFAULT_REGISTRATION: Registration = { mode: 'open', allowedDomains: [] }

/**
 * Reads who may create an account. There is no cache: registrations are rare and cost a password hash, and so a change
 * applies to all instances at once.
 */
export async function readRegistration(query: Query | Tx): Promise<Registration> {
  const row = await query
    .selectFrom('site_settings')
    .select('value')
    .where('name', '=', REGISTRATION_SETTING)
    .executeTakeFirst()
  return row ? JSON.parse(row.value) : DEFAULT_REGISTRATION
}
