import { isoTime } from '../../lib/dates.ts'
import { shortMoment } from './shown-values.ts'

/** The changes of an action in words, such as "role: member → owner". */
export function changesIn(details: string): string[] {
  return Object.entries(JSON.parse(details) as Record<string, unknown>).map(
    ([field, value]) =>
      `${wordsOf(field)}: ${isChange(value) ? `${shown(field, value.from)} → ${shown(field, value.to)}` : shown(field, value)}`,
  )
}

function isChange(value: unknown): value is { from: unknown; to: unknown } {
  return typeof value === 'object' && value !== null && 'from' in value && 'to' in value
}

/** Such as "suspended until" for `suspendedUntil`. */
function wordsOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function shown(field: string, value: unknown): string {
  if (value === null || value === '') return 'none'
  if (typeof value === 'number' && /(Until|At)$/.test(field)) return shortMoment(isoTime(value))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
