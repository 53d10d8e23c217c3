import type { LimitName } from '../config/limit-kinds.ts'
import { counter } from '../http/rate-limit.ts'
import type { Actor } from '../sessions/owner-actions.ts'
import type { OwnerParts } from './parts.ts'

export const OWNER_MAIL_LIMITS: LimitName[] = ['invitation']

/**
 * Counts a mail that an owner causes, in all sessions of the owner, so that a stolen session cannot mail thousands of
 * people. The operator on the command line is not limited.
 */
export async function limitOwnerMail({ limits }: Pick<OwnerParts, 'limits'>, { caller }: Actor): Promise<void> {
  if (caller) await limits.take(counter('invitation', caller.userId))
}
