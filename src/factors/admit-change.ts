import type { AccountParts } from '../accounts/parts.ts'
import { counter } from '../http/rate-limit.ts'
import type { Caller, Request } from '../http/request.ts'

/**
 * Takes a change of the ways to sign in from its rate limit. Each change is a mail and a security event, and gives the
 * session of a browser a new id, so that the limits of a session do not bound them.
 */
export async function admitChange(
  { limits, addressOf }: Pick<AccountParts, 'limits' | 'addressOf'>,
  request: Request,
  { userId }: Caller,
): Promise<void> {
  await limits.take(request, counter('security', userId, addressOf(request)))
}
