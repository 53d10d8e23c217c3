import { OWNER_ACTIONS, type OwnerAction } from '../events/owner-actions.ts'
import { Browser, IpAddress, OperatingSystem, SAMPLE_UUID, StoredEmail, Time, Uuid } from '../http/fields.ts'
import { nullable, oneOf, Type } from '../http/schema.ts'
import { isoTime } from '../lib/dates.ts'
import { cursorPages, cutPage } from './cursor-pages.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'
import { PersonId } from './person.ts'

const CURSOR = { pattern: '^[0-9]{1,15}[.][0-9]{1,9}[.][0-9a-f-]{36}$' }
const pages = cursorPages('listOwnerActions', CURSOR, `1794821400000.7.${SAMPLE_UUID}`)
const ACTIONS = Object.keys(OWNER_ACTIONS) as OwnerAction[]

const Party = Type.Object(
  { userId: PersonId, email: nullable(Type.String({ ...StoredEmail, description: 'Null after the deletion' })) },
  { title: 'Party' },
)

const Action = Type.Object(
  {
    id: Uuid,
    action: oneOf(ACTIONS, { title: 'OwnerActionType', examples: ['person.suspended'] }),
    description: Type.String({ description: 'The same for people', examples: ['Suspended a person'] }),
    owner: nullable(Party),
    person: nullable(Party),
    details: Type.String({
      description: 'A JSON object: the changed fields, each with `from` and `to`',
      examples: ['{"role":{"from":"member","to":"owner"}}'],
    }),
    browser: Browser,
    os: OperatingSystem,
    clientIp: IpAddress,
    createdAt: Time,
  },
  { title: 'OwnerAction' },
)

export function listOwnerActions(parts: OwnerParts) {
  const { query } = parts.database
  return ownerOperation(parts, {
    id: 'listOwnerActions',
    summary: 'Read the audit log, newest first',
    message: 'Audit log retrieved successfully',
    description: '`owner` is null for an action of the command line, and `person` for a change of the site.',
    query: Type.Object({
      userId: Type.Optional(PersonId),
      ...pages.query,
    }),
    data: Type.Object(
      {
        actions: Type.Array(Action),
        next: pages.next,
      },
      { title: 'OwnerActions' },
    ),
    links: pages.links,
    async run({ query: { userId, limit, after } }) {
      const [createdAt = '0', sequence = '0', id = ''] = after?.split('.') ?? []
      const rows = await query
        .selectFrom('owner_actions as actions')
        .leftJoin('users as owners', 'owners.id', 'actions.owner_id')
        .leftJoin('users as people', 'people.id', 'actions.user_id')
        .selectAll('actions')
        .select(['owners.email as owner_email', 'people.email as person_email'])
        .$if(userId !== undefined, (select) => select.where('actions.user_id', '=', userId ?? ''))
        .$if(after !== undefined, (select) =>
          select.where(({ eb, refTuple, tuple }) =>
            eb(
              refTuple('actions.created_at', 'actions.sequence', 'actions.id'),
              '<',
              tuple(Number(createdAt), Number(sequence), id),
            ),
          ),
        )
        .orderBy('actions.created_at', 'desc')
        .orderBy('actions.sequence', 'desc')
        .orderBy('actions.id', 'desc')
        .limit(limit + 1)
        .execute()
      const { page, next } = cutPage(rows, limit, (last) => `${last.created_at}.${last.sequence}.${last.id}`)
      return {
        data: {
          actions: page.map((row) => ({
            id: row.id,
            action: row.action as OwnerAction,
            description: OWNER_ACTIONS[row.action as OwnerAction] ?? row.action,
            owner: row.owner_id === null ? null : { userId: row.owner_id, email: row.owner_email },
            person: row.user_id === null ? null : { userId: row.user_id, email: row.person_email },
            details: row.details,
            browser: row.browser,
            os: row.os,
            clientIp: row.client_ip,
            createdAt: isoTime(row.created_at),
          })),
          next,
        },
      }
    },
  })
}
