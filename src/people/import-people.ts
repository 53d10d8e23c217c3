import { stat } from 'node:fs/promises'
import { noteImportedHashes } from '../accounts/imported-hashes.ts'
import { isOutdated } from '../accounts/password-hash.ts'
import { createFindSignerKey, storeSignerKey } from '../accounts/signer-keys.ts'
import { parseStoredHash } from '../accounts/stored-hash.ts'
import type { Clock } from '../database/clock.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import { COMMAND_LINE, recordAction } from '../events/owner-actions.ts'
import { Refusal } from '../http/refusal.ts'
import { createValidation } from '../http/validation.ts'
import type { SecretBox } from '../proofs/secret-box.ts'
import { type FirebaseParameters, UnusableHash } from './foreign-hash.ts'
import { PersonFault } from './foreign-values.ts'
import { insertPeople, type Outcome } from './insert-people.ts'
import { type NewPerson, rowsFor } from './person-row.ts'
import { type PeopleFile, peopleIn } from './read-people.ts'
import { PersonRecord } from './record.ts'
import { type ForeignPerson, MissingParameters } from './systems.ts'
import { FileFault } from './text-file.ts'

/** The number of people in one transaction. Other writers of SQLite wait for it. */
const BATCH_PEOPLE = 500

export interface ImportParts {
  database: Database
  clock: Clock
  secretBox: SecretBox
}

export interface ImportOptions {
  /** Whether the roles of the file count. Otherwise everybody becomes a member. */
  withRoles: boolean
  /** Whether everything is rolled back. */
  isDryRun: boolean
  firebase: FirebaseParameters | undefined
  /** Called for each person who is refused, and for each with a remark. */
  onLine(line: number, isRefused: boolean, reason: string): void
  /** `part` is the share of the file that was read, from 0 to 1. */
  onProgress(read: number, part: number): void
}

export interface ImportResult {
  read: number
  imported: number
  /** People whose address has an account, which stays as it is. */
  alreadyHere: number
  refused: number
  /** Of those imported: how many have no password, have another username than in the file, or were owners. */
  withoutPassword: number
  renamed: number
  ownersAsMembers: number
}

class RolledBack extends Error {}

/**
 * Imports the people of a file in batches. Each batch is one transaction, so that an interrupted import can be run
 * again: it finds those who are here already. No mails are sent and no security events are recorded.
 */
export async function importPeople(
  { database, clock, secretBox }: ImportParts,
  file: PeopleFile,
  { withRoles, isDryRun, firebase, onLine, onProgress }: ImportOptions,
): Promise<ImportResult> {
  const result: ImportResult = {
    read: 0,
    imported: 0,
    alreadyHere: 0,
    refused: 0,
    withoutPassword: 0,
    renamed: 0,
    ownersAsMembers: 0,
  }
  const validation = createValidation([])
  const findSignerKey = createFindSignerKey(database.query, secretBox)
  const { size } = await stat(file.path)
  let bytes = 0
  const onRead = (read: number) => {
    bytes = read
  }
  let batch: NewPerson[] = []

  try {
    for await (const { line, value } of peopleIn(file, firebase, onRead)) {
      result.read += 1
      await add(line, value)
      if (batch.length < BATCH_PEOPLE) continue
      await flush()
      onProgress(result.read, size === 0 ? 1 : Math.min(bytes / size, 1))
    }
  } catch (error) {
    // The people before the fault are imported completely.
    if (error instanceof FileFault) await flush()
    throw error
  }
  await flush()
  if (result.imported > 0 && !isDryRun) {
    const details = { format: file.format, ...result }
    await database.transaction((tx) =>
      recordAction(tx, database.now, COMMAND_LINE, { action: 'people.imported', details }),
    )
  }
  return result

  async function add(line: number, person: ForeignPerson | PersonFault): Promise<void> {
    try {
      if (person instanceof PersonFault) throw person
      batch.push(await prepared(line, person))
    } catch (error) {
      refuse(line, reasonOf(error))
    }
  }

  function refuse(line: number, reason: string): void {
    result.refused += 1
    onLine(line, true, reason)
  }

  async function prepared(line: number, { record, hash }: ForeignPerson): Promise<NewPerson> {
    const checked = await validation.validate('body', PersonRecord, record)
    return rowsFor(line, checked, await usableHash(line, hash), { nowMs: clock.now(), withRoles })
  }

  /** The hash to store. Somebody with a hash that is not usable is imported without a password. */
  async function usableHash(line: number, hash: ForeignPerson['hash']): Promise<string | null> {
    try {
      const stored = hash?.() ?? null
      if (stored?.startsWith('$firebase-scrypt$')) await requireSignerKey(stored)
      return stored
    } catch (error) {
      if (!(error instanceof UnusableHash)) throw error
      onLine(line, false, `${error.message}: without a password`)
      return null
    }
  }

  async function requireSignerKey(hash: string): Promise<void> {
    const { work } = parseStoredHash(hash)
    const keyId = work.scheme === 'firebase' ? work.keyId : ''
    if (keyId !== firebase?.keyId && !(await findSignerKey(keyId))) throw new MissingParameters()
  }

  async function flush(): Promise<void> {
    const people = batch
    batch = []
    if (people.length > 0)
      count(isDryRun ? await tried(people) : await database.transaction((tx) => insert(tx, people)))
  }

  async function insert(tx: Tx, people: NewPerson[]): Promise<Outcome> {
    const outcome = await insertPeople(tx, database, people)
    if (outcome.inserted.some(hasOutdatedHash)) await noteImportedHashes(tx, database.now)
    if (outcome.inserted.length === 0 || result.imported > 0) return outcome
    // The first change is recorded with it, since the import may be interrupted.
    if (firebase) await storeSignerKey(tx, secretBox, firebase.signerKey)
    const details = { format: file.format }
    await recordAction(tx, database.now, COMMAND_LINE, { action: 'people.import-started', details })
    return outcome
  }

  /** The preview of an import: the same steps, in a transaction that is rolled back. */
  async function tried(people: NewPerson[]): Promise<Outcome> {
    let outcome: Outcome | undefined
    await database
      .transaction(async (tx) => {
        outcome = await insert(tx, people)
        throw new RolledBack()
      })
      .catch((error) => {
        if (!(error instanceof RolledBack)) throw error
      })
    return outcome as Outcome
  }

  function count({ inserted, alreadyHere, refused }: Outcome): void {
    result.imported += inserted.length
    result.alreadyHere += alreadyHere.length
    for (const { person, reason } of refused) refuse(person.line, reason)
    for (const { person, username } of inserted) {
      if (person.user.password_hash === null) result.withoutPassword += 1
      if (person.isDemoted) result.ownersAsMembers += 1
      if (!person.preferredUsername || person.preferredUsername === username) continue
      result.renamed += 1
      onLine(
        person.line,
        false,
        `the username ${person.preferredUsername} is taken or not allowed: ${username} instead`,
      )
    }
  }
}

function hasOutdatedHash({ person }: Outcome['inserted'][number]): boolean {
  const { password_hash } = person.user
  return typeof password_hash === 'string' && isOutdated(password_hash)
}

/** Why a person is refused. Throws errors that are not about the person. */
function reasonOf(error: unknown): string {
  if (error instanceof PersonFault) return error.message
  if (!(error instanceof Refusal)) throw error
  return (error.errors ?? []).map(({ message }) => message).join('. ') || error.message
}
