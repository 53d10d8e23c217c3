import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { SecurityEventType } from '../database/security-event-types.ts'
import type { Origin } from './client-info.ts'

/** Written in the transaction of the change itself, so that there is never one without the other. */
export async function recordEvent(
  tx: Tx,
  now: Database['now'],
  event: { type: SecurityEventType; userId: string; sessionId?: string; origin: Origin },
): Promise<void> {
  const { browser, os, device, clientIp } = event.origin
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

let sequence = 0

function nextSequence(): number {
  sequence = (sequence + 1) % 1_000_000_000
  return sequence
}
