import type { Passkeys } from '../../../factors/list-passkeys.ts'
import type { Static } from '../../../http/schema.ts'
import type { LinkedAccounts } from '../../../oauth/list-linked-accounts.ts'
import { type Html, html } from '../../html.ts'
import type { MemberVisit } from '../page.ts'

/** Whether the account has no password, and one passkey or one provider. The API refuses to remove it. */
export async function hasOnlyWayIn({ perform, visitor: { user } }: MemberVisit): Promise<boolean> {
  if (user.password_hash !== null) return false
  const [{ linkedAccounts }, { passkeys }] = await Promise.all([
    perform<Static<typeof LinkedAccounts>>('GET /api/linked-accounts'),
    perform<Static<typeof Passkeys>>('GET /api/passkeys'),
  ])
  return linkedAccounts.length + passkeys.length === 1
}

/** The badge of a passkey or provider that cannot be removed. */
export const ONLY_WAY_IN: Html = html` <span class="badge warn">Your only way in</span>`
