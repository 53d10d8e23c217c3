import { recordOfCells } from './csv-record.ts'
import { type Container, containerOf, firstCells, rowsOf } from './file-rows.ts'
import { type FirebaseParameters, storedFormat } from './foreign-hash.ts'
import { type ForeignRow, PersonFault, textOf } from './foreign-values.ts'
import { FORMATS, type Format } from './format-names.ts'
import { FIREBASE_COLUMNS, recognisedFormat } from './formats.ts'
import { type PersonRecord, RECORD_FIELDS } from './record.ts'
import { type ForeignPerson, fromAuth0, fromBetterAuth, fromFirebase, fromPocketBase, fromSupabase } from './systems.ts'
import { FileFault, type Item } from './text-file.ts'

export interface PeopleFile {
  path: string
  format: Format
  container: Container
}

// The lists that have people. A file may have others, such as the sessions of better-auth.
const PEOPLE_LISTS = ['', 'user', 'users', 'items', 'people']

/** Opens a file of people. Without a format, the file must show which one it has. */
export async function openPeople(path: string, given: Format | undefined): Promise<PeopleFile> {
  const container = await containerOf(path)
  const format = given ?? recognisedFormat(await beginningOf(path, container))
  if (!format) {
    throw new FileFault(`The file does not show which format it has. Name it with --from: ${FORMATS.join(', ')}.`)
  }
  return { path, format, container }
}

async function beginningOf(path: string, container: Container) {
  if (container === 'csv') return { isCsv: true, list: '', fields: await firstCells(path) }
  for await (const { list, value } of rowsOf(path, container)) {
    return { isCsv: false, list, fields: value instanceof PersonFault ? [] : Object.keys(value) }
  }
  throw new FileFault('The file has nobody.')
}

/** The people in a file, or why one of them cannot be read. */
export async function* peopleIn(
  { path, format, container }: PeopleFile,
  parameters: FirebaseParameters | undefined,
  onRead: (bytes: number) => void,
): AsyncGenerator<Item<ForeignPerson | PersonFault>> {
  const passwords = format === 'better-auth' && container === 'json-lists' ? await betterAuthPasswords(path) : undefined
  const columns = format === 'firebase' && container === 'csv' ? { columns: FIREBASE_COLUMNS } : {}
  for await (const { line, list, value } of rowsOf(path, container, { ...columns, onRead })) {
    if (!PEOPLE_LISTS.includes(list)) continue
    yield { line, value: value instanceof PersonFault ? value : readPerson(value) }
  }

  function readPerson(row: ForeignRow): ForeignPerson | PersonFault {
    try {
      return personOf(row)
    } catch (error) {
      if (error instanceof PersonFault) return error
      throw error
    }
  }

  function personOf(row: ForeignRow): ForeignPerson {
    switch (format) {
      case 'ndjson':
        return fromRecord(row)
      case 'csv':
        return fromRecord(recordOfCells(row as Record<string, string>))
      case 'better-auth':
        return fromBetterAuth(passwords ? { ...row, password: passwords.get(idOf(row.id)) } : row)
      case 'supabase':
        return fromSupabase(row)
      case 'pocketbase':
        return fromPocketBase(row)
      case 'firebase':
        return fromFirebase(row, parameters)
      case 'auth0':
        return fromAuth0(row)
    }
  }
}

function fromRecord(row: ForeignRow): ForeignPerson {
  const unknown = Object.keys(row).find((name) => !RECORD_FIELDS.includes(name))
  if (unknown !== undefined) throw new PersonFault(`it has the unknown field "${unknown.slice(0, 50)}"`)
  const { passwordHash, ...record } = row
  const hash = textOf(passwordHash)
  if (!hash && passwordHash) throw new PersonFault('Password hash must be a string')
  return { record: record as unknown as PersonRecord, hash: hash ? () => storedFormat(hash) : undefined }
}

/** The hashes of better-auth, by the ids of their people. The file has them in a list before or after the people. */
async function betterAuthPasswords(path: string): Promise<Map<string, string>> {
  const passwords = new Map<string, string>()
  for await (const { list, value } of rowsOf(path, 'json-lists')) {
    if (list !== 'account' || value instanceof PersonFault || value.providerId !== 'credential') continue
    passwords.set(idOf(value.userId), textOf(value.password))
  }
  // A row without the id of a person belongs to nobody.
  passwords.delete('')
  return passwords
}

/** An id of better-auth: a text, or a number if the database counts. Empty for anything else. */
function idOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value)
}
