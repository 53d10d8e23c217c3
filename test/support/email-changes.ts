import { NEW_PASSWORD, newResetCode, reset } from './accounts.ts'
import {
  type ApiResponse,
  assertSucceeded,
  type CallOptions,
  type Credentials,
  codeFor,
  linkFor,
  logIn,
  newEmail,
  type Person,
  post,
} from './api.ts'
import type { Service } from './service.ts'

export const requestChange = (service: { url: string }, as: Credentials, newEmail: string, options: CallOptions = {}) =>
  post(service, '/api/change-email', { newEmail }, { as, ...options })

export const confirmChange = (service: { url: string }, as: Credentials, code: string): Promise<ApiResponse> =>
  post(service, '/api/change-email/confirm', { code }, { as })

export const undoChange = (service: { url: string }, token: string): Promise<ApiResponse> =>
  post(service, '/api/change-email/undo', { token })

export interface ChangedEmail {
  oldEmail: string
  newEmail: string
  /** From the mail to the old address. */
  undoToken: string
}

/** Changes the address of an account, with the code from the mail to the new one. */
export async function changeEmail(
  service: Service,
  person: Credentials & { email: string },
  to = newEmail(),
): Promise<ChangedEmail> {
  assertSucceeded(await requestChange(service, person, to))
  assertSucceeded(await confirmChange(service, person, await codeFor(service, to)))
  return { oldEmail: person.email, newEmail: to, undoToken: (await linkFor(service, person.email)).token }
}

/** Logs in after an undo, which has removed the password. */
export async function logInAfterUndo(service: Service, person: Person): Promise<Person> {
  assertSucceeded(await reset(service, person.email, await newResetCode(service, person.email)))
  return logIn(service, { ...person, password: NEW_PASSWORD })
}

/** The address of the account. */
export async function emailOf({ portico: { store } }: Service, userId: string): Promise<string | undefined> {
  return (await store.findById(userId))?.email
}

/** The rows of an account in the tables of a change of the address. */
export async function storedOf({ portico: { database } }: Service, { userId }: Person) {
  const rowsOf = (table: 'codes' | 'email_changes' | 'email_undos') =>
    database.query.selectFrom(table).select('user_id').where('user_id', '=', userId).execute()
  return {
    codes: await rowsOf('codes'),
    email_changes: await rowsOf('email_changes'),
    email_undos: await rowsOf('email_undos'),
  }
}

export async function countRows(
  { portico: { database } }: Service,
  table:
    | 'codes'
    | 'email_changes'
    | 'email_undos'
    | 'linked_accounts'
    | 'second_factor_challenges'
    | 'remembered_browsers',
  userId: string,
): Promise<number> {
  return (await database.query.selectFrom(table).select('user_id').where('user_id', '=', userId).execute()).length
}
