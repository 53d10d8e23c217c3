import type { Refusal } from '../http/refusal.ts'
import { longMoment } from '../lib/dates.ts'
import { printable } from '../lib/printable.ts'
import { accountSuspended } from '../sessions/suspension.ts'

/** The text of a refusal for people, without the last full stop. For a suspension, it has the end and the reason. */
export function refusalWords({ kind, message, data }: Refusal): string {
  if (kind !== accountSuspended || !data?.suspendedUntil) return message
  const until = `${message} until ${longMoment(new Date(data.suspendedUntil))}`
  return data.reason ? `${until}. The reason: ${printable(data.reason)}` : until
}
