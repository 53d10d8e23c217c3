import type { Selectable } from 'kysely'
import type { Clock } from '../database/clock.ts'
import type { InvitationsTable } from '../database/owner-tables.ts'
import { GIVEN_ID, SAMPLE_TIME, SAMPLE_UUID, StoredEmail, Time } from '../http/fields.ts'
import { nullable, oneOf, type Static, Type } from '../http/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/dates.ts'
import { PersonId } from './person.ts'

const INVITATION_STATES = ['open', 'used', 'revoked', 'expired'] as const

export const InvitationId = Type.String({
  ...GIVEN_ID,
  'x-message': 'Invitation id must be a UUID',
  examples: [SAMPLE_UUID],
})

export const Invitation = Type.Object(
  {
    invitationId: InvitationId,
    email: StoredEmail,
    state: oneOf(INVITATION_STATES, { title: 'InvitationState', examples: ['open'] }),
    createdAt: Time,
    expiresAt: Time,
    usedAt: nullable(Type.String({ ...Time, examples: [SAMPLE_TIME] })),
    userId: nullable(Type.String({ ...PersonId, description: 'The person who has used it' })),
  },
  { title: 'Invitation' },
)

export function invitationOf(
  row: Selectable<InvitationsTable>,
  { now }: Pick<Clock, 'now'>,
): Static<typeof Invitation> {
  return {
    invitationId: row.id,
    email: row.email,
    state: stateOf(row, now()),
    createdAt: isoTime(row.created_at),
    expiresAt: isoTime(row.expires_at),
    usedAt: isoTimeOrNull(row.used_at),
    userId: row.user_id,
  }
}

function stateOf({ used_at, revoked_at, expires_at }: Selectable<InvitationsTable>, nowMs: number) {
  if (used_at !== null) return 'used'
  if (revoked_at !== null) return 'revoked'
  return expires_at > nowMs ? 'open' : 'expired'
}
