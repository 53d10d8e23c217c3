import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { SecurityEventType } from '../database/security-event-types.ts'
import type { ClientInfo } from '../http/client-info.ts'

/** Writes a security event in the transaction of the change, so that both are committed or neither is. */
export async function recordEvent(
  tx: Tx,
  now: Database['now'],
  event: { type: SecurityEventType; userId: string; sessionId?: string; clientInfo: ClientInfo },
): Promise<void> {
  const { browser, os, device, clientIp } = event.clientInfo
  await tx
    .insertInto('security_events')
    .values({
      id: randomUUID(),
      user_id: event.userId,
      session_id: event.sessionId ?? null,
      type: event.type,
      browser,
      os,
      device,
      ip_address: clientIp,
      created_at: now,
      sequence: nextSequence(),
    })
    .execute()
}

// Orders the events, and the actions of owners, of one process that have the same created_at.
let sequence = 0

export function nextSequence(): number {
  sequence = (sequence + 1) % 1_000_000_000
  return sequence
}
