import { printable } from '../lib/printable.ts'
import { listOwnerActions } from '../owner/list-owner-actions.ts'
import { changesIn } from '../pages/owner/audit-details.ts'
import type { Invocation } from './command.ts'
import { withOwnerDesk } from './owner-desk.ts'
import { findPerson } from './people.ts'
import { alignColumns } from './terminal.ts'

type Audit = Awaited<ReturnType<ReturnType<typeof listOwnerActions>['run']>>['data'] & {}
type Action = Audit['actions'][number]

const ID = /^[0-9a-f-]{36}$/

export async function run({ args: [who], text, json, terminal }: Invocation): Promise<undefined> {
  await withOwnerDesk(terminal, async (desk) => {
    // A deleted account has only its id left.
    const userId = who === undefined || ID.test(who) ? who : (await findPerson(desk, who)).userId
    const [limit, after] = [text('limit'), text('after')]
    const query = { ...(userId && { userId }), ...(limit && { limit }), ...(after && { after }) }
    const { actions, next } = await desk.run(listOwnerActions(desk.parts), { query })
    if (json) return terminal.printJson({ actions, next })
    if (actions.length === 0) return terminal.print('No owner has changed anything.')
    const rows = actions.map((action) => rowOf(action).map(printable))
    for (const line of alignColumns([['WHEN', 'WHAT', 'PERSON', 'BY', 'CHANGES'], ...rows])) terminal.print(line)
    if (next) terminal.print(`\nThere are more: portico audit${who ? ` ${printable(who)}` : ''} --after ${next}`)
  })
}

function rowOf({ createdAt, description, person, owner, details }: Action): string[] {
  const by = owner === null ? 'command line' : nameOf(owner)
  return [createdAt, description, person ? nameOf(person) : '', by, changesIn(details).join('; ')]
}

function nameOf({ email, userId }: NonNullable<Action['person']>): string {
  return email ?? `deleted ${userId}`
}
