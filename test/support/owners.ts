import { COMMAND_LINE } from '../../src/events/owner-actions.ts'
import { changeRole } from '../../src/owner/change-role.ts'
import { type Person, signUp } from './api.ts'
import type { Service } from './service.ts'

export const IN_A_YEAR = new Date(Date.now() + 365 * 24 * 60 * 60_000).toISOString()

/** A signed-in owner of the site, made by the operation of the command line. */
export async function signUpOwner(service: Service): Promise<Person> {
  const owner = await signUp(service)
  await makeOwner(service, owner)
  return owner
}

export async function makeOwner({ portico }: Service, { userId }: Pick<Person, 'userId'>): Promise<void> {
  await changeRole(portico).run({ body: { userId, role: 'owner' }, query: {}, actor: COMMAND_LINE })
}
