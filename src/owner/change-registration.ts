import { DEFAULT_REGISTRATION, REGISTRATION_SETTING, type Registration } from '../accounts/registration.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import { changedFields, recordAction } from '../events/owner-actions.ts'
import { Type } from '../http/schema.ts'
import { requireOwnerRole } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { RegistrationState } from './read-registration.ts'
import { AllowedDomains, normalisedDomains, RegistrationMode } from './registration-fields.ts'

export function changeRegistration(parts: OwnerParts) {
  const { database } = parts
  const { now } = database
  return ownerOperation(parts, {
    id: 'changeRegistration',
    summary: 'Change who may create an account',
    message: 'Registration changed successfully',
    description:
      'Applies to all instances at once, also to people who have registered and have not verified their address yet. ' +
      'A field that is left out stays as it is. Existing accounts are not affected.',
    body: Type.Object({ mode: Type.Optional(RegistrationMode), allowedDomains: Type.Optional(AllowedDomains) }),
    data: RegistrationState,
    async run({ body: { mode, allowedDomains }, actor }) {
      const wanted = {
        ...(mode && { mode }),
        ...(allowedDomains && { allowedDomains: normalisedDomains(allowedDomains) }),
      }
      const data = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const before = await lockRegistration(tx, now)
        const after: Registration = { ...before, ...wanted }
        const details = changedFields(before, after)
        if (Object.keys(details).length === 0) return after
        await tx
          .updateTable('site_settings')
          .set({ value: JSON.stringify(after), changed_at: now })
          .where('name', '=', REGISTRATION_SETTING)
          .execute()
        await recordAction(tx, now, actor, { action: 'registration.changed', details })
        return after
      })
      return { data }
    },
  })
}

/** Locks the setting, so that the audit log has the value before each change. */
async function lockRegistration(tx: Tx, now: Database['now']): Promise<Registration> {
  await tx
    .insertInto('site_settings')
    .values({ name: REGISTRATION_SETTING, value: JSON.stringify(DEFAULT_REGISTRATION), changed_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { value } = await tx
    .selectFrom('site_settings')
    .select('value')
    .where('name', '=', REGISTRATION_SETTING)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return JSON.parse(value)
}
