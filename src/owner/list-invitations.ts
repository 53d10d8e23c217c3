import { SAMPLE_UUID } from '../http/fields.ts'
import { nullable, Type } from '../http/schema.ts'
import { Invitation, invitationOf } from './invitation.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'

const SAMPLE_CURSOR = `1794821400000.${SAMPLE_UUID}`
const CURSOR = '^[0-9]{1,15}[.][0-9a-f-]{36}$'

export function listInvitations(parts: OwnerParts) {
  const { query } = parts.database
  return ownerOperation(parts, {
    id: 'listInvitations',
    summary: 'List the invitations, newest first',
    message: 'Invitations retrieved successfully',
    description: 'Invitations are deleted 30 days after their expiry.',
    query: Type.Object({
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, 'x-message': 'Limit must be from 1 to 100' }),
      after: Type.Optional(
        Type.String({ pattern: CURSOR, description: '`next` of the page before', examples: [SAMPLE_CURSOR] }),
      ),
    }),
    data: Type.Object(
      {
        invitations: Type.Array(Invitation),
        next: nullable(Type.String({ description: 'Null on the last page', examples: [SAMPLE_CURSOR] })),
      },
      { title: 'Invitations' },
    ),
    links: {
      next: {
        operationId: 'listInvitations',
        description: 'The next page, unless next is null',
        parameters: { after: '$response.body#/data/next' },
      },
    },
    async run({ query: { limit, after } }) {
      const [createdAt = '0', id = ''] = after?.split('.') ?? []
      const rows = await query
        .selectFrom('invitations')
        .selectAll()
        .$if(after !== undefined, (select) =>
          select.where(({ eb, refTuple, tuple }) =>
            eb(refTuple('created_at', 'id'), '<', tuple(Number(createdAt), id)),
          ),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      const page = rows.slice(0, limit)
      const last = rows.length > limit ? page.at(-1) : undefined
      return {
        data: {
          invitations: page.map((row) => invitationOf(row, parts.clock)),
          next: last ? `${last.created_at}.${last.id}` : null,
        },
      }
    },
  })
}
