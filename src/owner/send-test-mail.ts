import { Email } from '../accounts/fields.ts'
import type { Tx } from '../database/engine.ts'
import { type Actor, recordAction } from '../events/owner-actions.ts'
import { StoredEmail } from '../http/fields.ts'
import { counter } from '../http/rate-limit.ts'
import { invalid } from '../http/refusal.ts'
import { Type } from '../http/schema.ts'
import { requireOwnerRole } from './lock-person.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'

export function sendTestMail(parts: OwnerParts) {
  const { database, limits, outbox, messages } = parts
  return ownerOperation(parts, {
    id: 'sendTestMail',
    summary: 'Send yourself a test mail',
    message: 'Test mail posted successfully',
    description:
      'Goes through the outbox like every other mail, to the address of your own account. The command line, where ' +
      'nobody is signed in, names an owner.',
    body: Type.Object({ email: Type.Optional(Email) }),
    data: Type.Object({ recipient: StoredEmail }, { title: 'TestMailSent' }),
    limits: ['testmail'],
    async run({ body: { email }, actor }) {
      const recipient = await database.transaction(async (tx) => {
        await requireOwnerRole(tx, parts, actor)
        const owner = await findRecipient(tx, actor, email)
        await limits.takeIn(tx, actor.request, counter('testmail'))
        await outbox.enqueue(tx, owner.email, messages.test(owner.first_name))
        await recordAction(tx, database.now, actor, { action: 'mail.tested', userId: owner.id })
        return owner.email
      })
      return { data: { recipient } }
    },
  })
}

async function findRecipient(tx: Tx, { caller }: Actor, email: string | undefined) {
  const owner = await tx
    .selectFrom('users')
    .select(['id', 'email', 'first_name'])
    .where('role', '=', 'owner')
    .where('email_verified_at', 'is not', null)
    .$if(caller !== undefined, (select) => select.where('id', '=', caller?.userId ?? ''))
    .$if(email !== undefined || caller === undefined, (select) => select.where('email', '=', email ?? ''))
    .executeTakeFirst()
  if (!owner)
    throw invalid('email', 'not_allowed', 'Email must be the verified address of an owner, on the API your own')
  return owner
}
