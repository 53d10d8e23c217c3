import type { Registration } from '../../src/accounts/registration.ts'
import { COMMAND_LINE } from '../../src/events/owner-actions.ts'
import { changeRegistration } from '../../src/owner/change-registration.ts'
import { changeRole } from '../../src/owner/change-role.ts'
import { createInvitation } from '../../src/owner/create-invitation.ts'
import { mailsTo, type Person, signUp } from './api.ts'
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

/** Changes who may register, as the command line does. */
export async function setRegistration({ portico }: Service, registration: Partial<Registration>): Promise<void> {
  await changeRegistration(portico).run({ body: registration, query: {}, actor: COMMAND_LINE })
}

/** Invites an address. Returns the id of the invitation, and the token from the mail. */
export async function invite(service: Service, email: string, days = 7) {
  const input = { body: { email, days }, query: {}, actor: COMMAND_LINE }
  const { data } = (await createInvitation(service.portico).run(input)) as { data: { invitationId: string } }
  return { invitationId: data.invitationId, token: await invitationFor(service, email) }
}

/** The token of the newest invitation that was mailed to an address. */
export async function invitationFor(service: Service, email: string): Promise<string> {
  const mails = await mailsTo(service, email)
  const token = mails.map(({ text }) => /\/sign-up\?invitation=([0-9a-f]{32})$/m.exec(text)?.[1]).find(Boolean)
  if (!token) throw new Error(`no invitation was mailed to ${email}`)
  return token
}
