import type { Format } from './format-names.ts'
import { RECORD_FIELDS } from './record.ts'

/** The facts at the beginning of a file: the name of its first list, and the names of the fields of its first row. */
export interface Beginning {
  isCsv: boolean
  list: string
  fields: string[]
}

/** The columns of `firebase auth:export` in CSV, which has no header (https://firebase.google.com/docs/cli/auth). */
export const FIREBASE_COLUMNS = [
  ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
  ...['google', 'facebook', 'twitter', 'github'].flatMap((name) => [
    `${name}Id`,
    `${name}Email`,
    `${name}Name`,
    `${name}Photo`,
  ]),
  ...['createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes'],
]
const MIN_FIREBASE_COLUMNS = FIREBASE_COLUMNS.indexOf('createdAt') + 1

const BETTER_AUTH_LISTS = ['user', 'account', 'session', 'verification']

/** The format of a file. Undefined if its beginning does not tell. */
export function recognisedFormat({ isCsv, list, fields }: Beginning): Format | undefined {
  const has = (...names: string[]) => names.every((name) => fields.includes(name))
  if (has('localId') || isFirebaseRow(isCsv, fields)) return 'firebase'
  if (BETTER_AUTH_LISTS.includes(list)) return 'better-auth'
  if (has('encrypted_password') || has('raw_user_meta_data')) return 'supabase'
  if (has('tokenKey') || has('emailVisibility')) return 'pocketbase'
  if (has('email_verified') && (has('user_id') || has('passwordHash') || has('password_hash'))) return 'auth0'
  if (has('email') && fields.every((name) => RECORD_FIELDS.includes(name) || CSV_FIELDS.includes(name))) {
    return isCsv ? 'csv' : 'ndjson'
  }
  return undefined
}

/** The fields of a record that are columns of their own in CSV, with their place in the record. */
export const NESTED_COLUMNS = {
  address: 'location',
  city: 'location',
  state: 'location',
  country: 'location',
  zipCode: 'location',
  theme: 'preferences',
  font: 'preferences',
} as const
const CSV_FIELDS: string[] = Object.keys(NESTED_COLUMNS)

function isFirebaseRow(isCsv: boolean, cells: string[]): boolean {
  return isCsv && cells.length >= MIN_FIREBASE_COLUMNS && ['true', 'false'].includes(cells[2] ?? '')
}
