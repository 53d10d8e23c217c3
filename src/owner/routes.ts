import type { OperationRoute } from '../http/operation.ts'
import { changeRole } from './change-role.ts'
import { deletePerson } from './delete-person.ts'
import { liftSuspension } from './lift-suspension.ts'
import { listPeople } from './list-people.ts'
import type { OwnerParts } from './parts.ts'
import { readPerson } from './read-person.ts'
import { suspendPerson } from './suspend-person.ts'

/** The operations of the owner's desk. */
export const ownerRoutes = (parts: OwnerParts): OperationRoute[] => [
  ['GET', '/api/owner/people', listPeople(parts)],
  ['GET', '/api/owner/person', readPerson(parts)],
  ['DELETE', '/api/owner/person', deletePerson(parts)],
  ['POST', '/api/owner/person/suspend', suspendPerson(parts)],
  ['POST', '/api/owner/person/lift-suspension', liftSuspension(parts)],
  ['POST', '/api/owner/person/role', changeRole(parts)],
]
