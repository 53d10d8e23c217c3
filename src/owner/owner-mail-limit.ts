import type { LimitName } from '../config/limit-kinds.ts'
import type { Tx } from '../database/engine.ts'
import type { Actor } from '../events/owner-actions.ts'
import { counter } from '../http/rate-limit.ts'
import type { OwnerParts } from './parts.ts'

/** The limits of an operation that mails a person: those of `limitOwnerMail` and of `limitRecipient`. */
export const OWNER_MAIL_LIMITS: LimitName[] = ['invitation', 'mail']

/**
 * Counts a mail that an owner causes, in all sessions of the owner, so that a stolen session cannot mail thousands of
 * people. The operator on the command line is not limited.
 */
export async function limitOwnerMail(
  { limits }: Pick<OwnerParts, 'limits'>,
  { caller, request }: Actor,
): Promise<void> {
  if (caller && request) await limits.take(request, counter('invitation', caller.userId))
}

/** Counts a mail to one address, from all requesters. The limit protects people from owners and the operator too. */
export function limitRecipient(
  { limits }: Pick<OwnerParts, 'limits'>,
  tx: Tx,
  { request }: Actor,
  recipient: string,
): Promise<void> {
  return limits.takeIn(tx, request, counter('mail', recipient))
}
