import { SAMPLE_UUID } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { cursorPages, cutPage, olderThan } from './cursor-pages.ts'
import { Invitation, invitationOf } from './invitation.ts'
import { ownerOperation } from './owner-operation.ts'
import type { OwnerParts } from './parts.ts'

const CURSOR = { pattern: '^[0-9]{1,15}[.][0-9a-f-]{36}$' }
const pages = cursorPages('listInvitations', CURSOR, `1794821400000.${SAMPLE_UUID}`)

export function listInvitations(parts: OwnerParts) {
  const { query } = parts.database
  return ownerOperation(parts, {
    id: 'listInvitations',
    summary: 'List the invitations, newest first',
    message: 'Invitations retrieved successfully',
    description: 'Invitations are deleted 30 days after their expiry.',
    query: Type.Object({
      ...pages.query,
    }),
    data: Type.Object(
      {
        invitations: Type.Array(Invitation),
        next: pages.next,
      },
      { title: 'Invitations' },
    ),
    links: pages.links,
    async run({ query: { limit, after } }) {
      const rows = await query
        .selectFrom('invitations')
        .selectAll()
        .where(olderThan(after))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      const { page, next } = cutPage(rows, limit, (last) => `${last.created_at}.${last.id}`)
      return { data: { invitations: page.map((row) => invitationOf(row, parts.clock)), next } }
    },
  })
}
