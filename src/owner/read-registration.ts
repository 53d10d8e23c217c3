import { readRegistration as readSetting } from '../accounts/registration.ts'
import { Type } from '../http/schema.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { AllowedDomains, RegistrationMode } from './registration-fields.ts'

export const RegistrationState = Type.Object(
  { mode: RegistrationMode, allowedDomains: AllowedDomains },
  { title: 'RegistrationState' },
)

export function readRegistration(parts: OwnerParts) {
  return ownerOperation(parts, {
    id: 'readRegistration',
    summary: 'Read who may create an account',
    message: 'Registration retrieved successfully',
    data: RegistrationState,
    run: async () => ({ data: await readSetting(parts.database.query) }),
  })
}
