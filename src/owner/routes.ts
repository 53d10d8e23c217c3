import type { OperationRoute } from '../http/operation.ts'
import { changeRegistration } from './change-registration.ts'
import { changeRole } from './change-role.ts'
import { createInvitation } from './create-invitation.ts'
import { createPerson } from './create-person.ts'
import { deletePerson } from './delete-person.ts'
import { endPersonSessions } from './end-person-sessions.ts'
import { liftSuspension } from './lift-suspension.ts'
import { listInvitations } from './list-invitations.ts'
import { listOwnerActions } from './list-owner-actions.ts'
import { listPeople } from './list-people.ts'
import type { OwnerParts } from './parts.ts'
import { readPerson } from './read-person.ts'
import { readRegistration } from './read-registration.ts'
import { renamePerson } from './rename-person.ts'
import { resetPersonFactors } from './reset-person-factors.ts'
import { revokeInvitation } from './revoke-invitation.ts'
import { sendResetMail } from './send-reset-mail.ts'
import { suspendPerson } from './suspend-person.ts'
import { verifyPerson } from './verify-person.ts'

/** The operations of the owner's desk. */
export const ownerRoutes = (parts: OwnerParts): OperationRoute[] => [
  ['GET', '/api/owner/people', listPeople(parts)],
  ['POST', '/api/owner/people', createPerson(parts)],
  ['GET', '/api/owner/person', readPerson(parts)],
  ['DELETE', '/api/owner/person', deletePerson(parts)],
  ['POST', '/api/owner/person/verify', verifyPerson(parts)],
  ['POST', '/api/owner/person/username', renamePerson(parts)],
  ['POST', '/api/owner/person/suspend', suspendPerson(parts)],
  ['POST', '/api/owner/person/lift-suspension', liftSuspension(parts)],
  ['POST', '/api/owner/person/end-sessions', endPersonSessions(parts)],
  ['POST', '/api/owner/person/reset-factors', resetPersonFactors(parts)],
  ['POST', '/api/owner/person/reset-mail', sendResetMail(parts)],
  ['POST', '/api/owner/person/role', changeRole(parts)],
  ['GET', '/api/owner/audit', listOwnerActions(parts)],
  ['GET', '/api/owner/registration', readRegistration(parts)],
  ['POST', '/api/owner/registration', changeRegistration(parts)],
  ['GET', '/api/owner/invitations', listInvitations(parts)],
  ['POST', '/api/owner/invitations', createInvitation(parts)],
  ['DELETE', '/api/owner/invitations', revokeInvitation(parts)],
]
