import { isHttpUrl } from '../http/schema-keywords.ts'
import { oneLine } from '../lib/one-line.ts'
import type { PersonRecord } from './record.ts'

/** A row of another system: JSON values, or the texts of a CSV file by the names in its header. */
export type ForeignRow = Record<string, unknown>

/** A fault of one person. The message is for the report. */
export class PersonFault extends Error {}

const MAX_NAME_CHARACTERS = 50
const MAX_TIME_CHARACTERS = 40
// PostgreSQL writes `2026-11-16 09:30:00.123456+00`.
const SHORT_ZONE = /([+-]\d\d)$/
const DIGITS = /^\d{10,14}$/
/** How long somebody is suspended whom another system has blocked without an end. */
const FOR_EVER = '9999-12-31T00:00:00.000Z'

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Databases have true as a boolean, a number or a text. Spreadsheet programs write it in capitals. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || ['true', 't', '1'].includes(textOf(value).toLowerCase())
}

/** A time in ISO 8601, from one of the formats that databases write. Undefined for anything else. */
export function timeOf(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : textOf(value)
  if (!text || text.length > MAX_TIME_CHARACTERS) return undefined
  const time = DIGITS.test(text)
    ? new Date(Number(text))
    : new Date(text.replace(' ', 'T').replace(SHORT_ZONE, '$1:00'))
  return Number.isNaN(time.valueOf()) ? undefined : time.toISOString()
}

/** The names of a person. The last word of a whole name is the last name. Unknown names are left out. */
export function namesOf({ first, last, whole }: { first?: unknown; last?: unknown; whole?: unknown }) {
  const words = oneLine(textOf(whole), 2 * MAX_NAME_CHARACTERS).split(' ')
  const firstName =
    oneLine(textOf(first), MAX_NAME_CHARACTERS) || (words.length > 1 ? words.slice(0, -1) : words).join(' ')
  const lastName =
    oneLine(textOf(last), MAX_NAME_CHARACTERS) || (!first && words.length > 1 ? (words.at(-1) ?? '') : '')
  return {
    ...(firstName && { firstName: oneLine(firstName, MAX_NAME_CHARACTERS) }),
    ...(lastName && { lastName: oneLine(lastName, MAX_NAME_CHARACTERS) }),
  }
}

/** The address of a picture, if it can be an avatar. */
export function avatarOf(value: unknown): { avatar?: string } {
  const url = textOf(value)
  return isHttpUrl(url) ? { avatar: url } : {}
}

/** A person whom the other system has blocked. */
export function suspensionOf(isBlocked: boolean, until: string = FOR_EVER): Partial<PersonRecord> {
  return isBlocked ? { suspendedUntil: until, suspensionReason: '' } : {}
}

/** An object in a row: JSON, or its text in a CSV file. */
export function objectOf(value: unknown): ForeignRow {
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      return objectOf(JSON.parse(value))
    } catch {
      return {}
    }
  }
  return typeof value === 'object' && value !== null ? (value as ForeignRow) : {}
}

/** When an address was verified: the given time, else that of the creation. */
export function verifiedAt(isVerified: boolean, ...times: (string | undefined)[]): Partial<PersonRecord> {
  return isVerified ? { emailVerified: true, ...withTime('emailVerifiedAt', times.find(Boolean)) } : {}
}

export function withTime(name: 'createdAt' | 'emailVerifiedAt', time: string | undefined): Partial<PersonRecord> {
  return time === undefined ? {} : { [name]: time }
}
