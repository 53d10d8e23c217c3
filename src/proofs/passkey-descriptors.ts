import type { Query, Tx } from '../database/engine.ts'

/** The passkeys of an account as options list them (WebAuthn Level 3, section 5.8.3). */
export async function describePasskeys(query: Query | Tx, userId: string) {
  const rows = await query
    .selectFrom('passkeys')
    .select(['id', 'transports'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
  return rows.map(({ id, transports }) => ({
    id,
    type: 'public-key' as const,
    transports: JSON.parse(transports) as string[],
  }))
}
