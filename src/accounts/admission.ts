import type { Query, Tx } from '../database/engine.ts'
import { declareRefusal, Refusal, type RefusalKind } from '../http/refusal.ts'
import type { Invitations } from './invitations.ts'
import { type Registration, readRegistration } from './registration.ts'

const registrationClosed = declareRefusal({
  status: 403,
  code: 'registration_closed',
  message: 'Registration is closed',
  when: 'The owner of the site lets nobody create an account',
})

const invitationRequired = declareRefusal({
  status: 403,
  code: 'invitation_required',
  message: 'Registration is by invitation only',
  when: 'The owner of the site lets only invited people create an account, and there is no valid invitation for the address',
})

const domainNotAllowed = declareRefusal({
  status: 403,
  code: 'email_domain_not_allowed',
  message: 'Registration is open to certain mail domains only',
  when: 'The domain of the address is not one of those that the owner of the site has listed, and there is no valid invitation for the address',
})

export const ADMISSION_REFUSALS = [registrationClosed, invitationRequired, domainNotAllowed]

interface AdmissionParts {
  invitations: Invitations
}

/**
 * Throws unless the address may be registered, before it is proven. Only the token of an invitation counts here: a
 * refusal tells neither whether the address has an account nor whether it is invited. The invitation stays open,
 * because the registration may never be verified.
 */
export async function requireAdmission(
  query: Query | Tx,
  { invitations }: AdmissionParts,
  email: string,
  token: string | undefined,
): Promise<void> {
  const isInvited = token !== undefined && (await invitations.find(query, token)) === email
  refuse(refusalFor(await readRegistration(query), email, isInvited))
}

/**
 * Throws unless a new account may have its address, in the transaction that has proven the address. Uses up the
 * invitation of the address: the mailbox is proven, so its token is not needed.
 */
export async function admit(
  tx: Tx,
  { invitations }: AdmissionParts,
  user: { id: string; email: string },
): Promise<void> {
  const isInvited = await invitations.use(tx, user)
  refuse(refusalFor(await readRegistration(tx), user.email, isInvited))
}

function refusalFor({ mode, allowedDomains }: Registration, email: string, isInvited: boolean) {
  if (mode === 'closed') return registrationClosed
  if (isInvited) return undefined
  if (mode === 'invite') return invitationRequired
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return allowedDomains.length === 0 || allowedDomains.includes(domain) ? undefined : domainNotAllowed
}

function refuse(kind: RefusalKind | undefined): void {
  if (kind) throw new Refusal(kind)
}
