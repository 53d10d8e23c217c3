import { printable } from '../lib/printable.ts'
import { createInvitation } from '../owner/create-invitation.ts'
import { listInvitations } from '../owner/list-invitations.ts'
import { readRegistration } from '../owner/read-registration.ts'
import { revokeInvitation } from '../owner/revoke-invitation.ts'
import { CommandError, type Invocation } from './command.ts'
import { type OwnerDesk, withOwnerDesk } from './owner-desk.ts'
import { alignColumns } from './terminal.ts'

export async function list({ text, json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async ({ parts, run }) => {
    const after = text('after')
    const query = { limit: text('limit') ?? '50', ...(after !== undefined && { after }) }
    const { invitations, next } = await run(listInvitations(parts), { query })
    if (json) return terminal.printJson({ invitations, next })
    if (invitations.length === 0)
      return terminal.print('There are no invitations: "portico invitation create EMAIL" sends one.')
    const rows = invitations.map(({ email, state, createdAt, expiresAt, invitationId }) =>
      [email, state, createdAt, expiresAt, invitationId].map(printable),
    )
    for (const line of alignColumns([['E-MAIL', 'STATE', 'CREATED', 'EXPIRES', 'ID'], ...rows])) terminal.print(line)
    if (next) terminal.print(`\nThere are more: portico invitation list --after ${next}`)
  })
}

export async function create({ args: [email = ''], text, json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async ({ parts, run }) => {
    const days = text('days')
    const body = { email, ...(days !== undefined && { days: Number(days) }) }
    const invitation = await run(createInvitation(parts), { body })
    if (json) return terminal.printJson(invitation)
    terminal.print(
      printable(`Invited ${invitation.email} until ${invitation.expiresAt}. A running service sends the mail.`),
    )
    const { mode } = await run(readRegistration(parts))
    if (mode === 'closed') terminal.note('Registration is closed, so the invitation does not work until that changes.')
  })
}

export async function revoke({ args: [which = ''], json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async (desk) => {
    const { invitationId, email } = await findInvitation(desk, which)
    await desk.run(revokeInvitation(desk.parts), { body: { invitationId } })
    if (json) terminal.printJson({ invitationId })
    else terminal.print(printable(`Revoked the invitation of ${email}.`))
  })
}

/** Finds an invitation by its e-mail address or id. */
async function findInvitation({ parts }: OwnerDesk, which: string): Promise<{ invitationId: string; email: string }> {
  const found = await parts.database.query
    .selectFrom('invitations')
    .select(['id', 'email'])
    .where((eb) => eb.or([eb('email', '=', which.toLowerCase()), eb('id', '=', which)]))
    .executeTakeFirst()
  if (!found) throw new CommandError(`No invitation has the e-mail address or id ${printable(which)}.`)
  return { invitationId: found.id, email: found.email }
}
