import { randomUUID } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { SecurityEventType } from '../database/security-event-types.ts'
import type { ClientInfo } from '../http/client-info.ts'
import type { Caller, Request } from '../http/request.ts'
import { nextSequence, recordEvent } from './security-events.ts'

/** The author of a change: an owner in a session, or the operator on the command line. */
export interface Actor {
  /** Undefined on the command line. Access to the database is the proof there. */
  caller: Caller | undefined
  /** Undefined on the command line. */
  request: Request | undefined
  clientInfo: ClientInfo
}

export const COMMAND_LINE: Actor = {
  caller: undefined,
  request: undefined,
  clientInfo: {
    browser: 'Command line',
    os: '',
    device: 'Server',
    ipAddress: '',
    clientIp: '',
    family: { browser: 'Command line', os: '' },
    program: 'Command line',
  },
}

/** The fields that differ, each with `from` and `to`, for the details of an action. */
export function changedFields<Fields extends object>(before: Fields, after: Fields): Record<string, unknown> {
  const names = Object.keys(after) as (keyof Fields & string)[]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]))
}

/** The actions of owners, each with the text of the audit log. */
export const OWNER_ACTIONS = {
  'person.created': 'Created a person',
  'person.verified': 'Verified the address of a person',
  'person.renamed': 'Changed the username of a person',
  'person.suspended': 'Suspended a person',
  'person.suspension-lifted': 'Lifted a suspension',
  'person.role-changed': 'Changed the role of a person',
  'person.session-ended': 'Ended a session of a person',
  'person.sessions-ended': 'Ended the sessions of a person',
  'person.factors-reset': 'Removed the second factors of a person',
  'person.reset-mailed': 'Mailed a person the code to reset the password',
  'person.deleted': 'Deleted a person',
  'people.import-started': 'Began to import people',
  'people.imported': 'Imported people',
  'people.exported': 'Exported people',
  'registration.changed': 'Changed who may register',
  'invitation.created': 'Invited a person',
  'invitation.revoked': 'Revoked an invitation',
  'mail.retried': 'Made mails due again',
  'mail.dropped': 'Deleted mails that were not delivered',
  'mail.tested': 'Sent a test mail',
  'webhook.created': 'Created a webhook',
  'webhook.changed': 'Changed a webhook',
  'webhook.deleted': 'Deleted a webhook',
  'webhook.secret-rotated': 'Replaced the secret of a webhook',
  'webhook.delivery-resent': 'Sent an event to a webhook again',
} as const
export type OwnerAction = keyof typeof OWNER_ACTIONS

interface Entry {
  action: OwnerAction
  userId?: string
  details?: Record<string, unknown>
  /** The text that the person reads in their own timeline. */
  event?: SecurityEventType
}

/** Writes an action to the audit log, in the transaction of the change. */
export async function recordAction(
  tx: Tx,
  now: Database['now'],
  { caller, clientInfo }: Actor,
  { action, userId, details = {}, event }: Entry,
): Promise<void> {
  const { browser, os, clientIp } = clientInfo
  await tx
    .insertInto('owner_actions')
    .values({
      id: randomUUID(),
      owner_id: caller?.userId ?? null,
      action,
      user_id: userId ?? null,
      details: JSON.stringify(details),
      browser,
      os,
      client_ip: clientIp,
      created_at: now,
      sequence: nextSequence(),
    })
    .execute()
  // The person does not see the owner's IP address and browser.
  if (userId && event) await recordEvent(tx, now, { type: event, userId, clientInfo: BY_OWNER })
}

const BY_OWNER = {
  browser: 'Owner of the site',
  os: '',
  device: '',
  ipAddress: '',
  clientIp: '',
  family: { browser: '', os: '' },
  program: '',
}
