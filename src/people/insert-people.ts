import { type Insertable, sql } from 'kysely'
import { usernameCandidates, usernameKey } from '../accounts/username.ts'
import type { Database } from '../database/database.ts'
import type { Tx } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'
import type { NewPerson } from './person-row.ts'

export interface Outcome {
  inserted: { person: NewPerson; username: string }[]
  /** The people whose address has an account. */
  alreadyHere: NewPerson[]
  refused: { person: NewPerson; reason: string }[]
}

type Identity = Pick<Insertable<Tables['linked_accounts']>, 'provider' | 'issuer' | 'subject'>

const USERNAME_CANDIDATES = 8
const json = (values: string[]) => sql<string>`${JSON.stringify(values)}`
const keyOf = ({ provider, issuer, subject }: Identity) => JSON.stringify([provider, issuer, subject])

/**
 * Inserts people in the transaction, with a constant number of statements. An account that exists is not changed. A
 * running service may take an address or a username between the look-up and the insert: those people are tried again.
 */
export async function insertPeople(tx: Tx, database: Database, people: NewPerson[]): Promise<Outcome> {
  const outcome: Outcome = { inserted: [], alreadyHere: [], refused: [] }
  let waiting = people
  while (waiting.length > 0) {
    const ready = await admitted(tx, database, waiting, outcome)
    const named = await withUsernames(tx, database, ready)
    const ids = await insertUsers(tx, named)
    const inserted = named.filter(({ person }) => ids.has(person.user.id))
    await insertIdentities(
      tx,
      inserted.map(({ person }) => person),
    )
    await useInvitations(
      tx,
      database,
      inserted.map(({ person }) => person.user.email),
    )
    outcome.inserted.push(...inserted)
    waiting = named.filter(({ person }) => !ids.has(person.user.id)).map(({ person }) => person)
  }
  return outcome
}

/** Returns the people who can be inserted. Adds the others to the outcome. */
async function admitted(tx: Tx, database: Database, people: NewPerson[], outcome: Outcome): Promise<NewPerson[]> {
  const { isAmong, now } = database
  const emails = json(people.map(({ user }) => user.email))
  const ids = json(people.filter(({ hasOwnId }) => hasOwnId).map(({ user }) => user.id))
  const subjects = json(people.flatMap(({ identities }) => identities.map(({ subject }) => subject)))
  const accounts = await tx.selectFrom('users').select(['email']).where(isAmong('email', emails)).execute()
  const sameIds = await tx.selectFrom('users').select(['id']).where(isAmong('id', ids)).execute()
  const undos = await tx
    .selectFrom('email_undos')
    .select('old_email')
    .where(isAmong('old_email', emails))
    .where('expires_at', '>', now)
    .execute()
  const linked = await tx
    .selectFrom('linked_accounts')
    .select(['provider', 'issuer', 'subject'])
    .where(isAmong('subject', subjects))
    .execute()
  const taken = {
    emails: new Set(accounts.map(({ email }) => email)),
    ids: new Set(sameIds.map(({ id }) => id)),
    undos: new Set(undos.map(({ old_email }) => old_email)),
    identities: new Set(linked.map(keyOf)),
  }
  return people.filter((person) => {
    const { email, id } = person.user
    const reason = refusalOf(person)
    if (taken.emails.has(email)) outcome.alreadyHere.push(person)
    else if (reason) outcome.refused.push({ person, reason })
    else {
      taken.emails.add(email)
      taken.ids.add(id)
      for (const identity of person.identities) taken.identities.add(keyOf(identity))
      return true
    }
    return false
  })

  function refusalOf({ user, identities }: NewPerson): string | undefined {
    if (taken.ids.has(user.id)) return 'another account has the id'
    if (taken.undos.has(user.email)) return 'an account had the address until recently and can still be changed back'
    const keys = identities.map(keyOf)
    if (new Set(keys).size < keys.length || keys.some((key) => taken.identities.has(key)))
      return 'an identity is linked with another account'
    return undefined
  }
}

/** Chooses free usernames: the preferred one, else one that is derived from the name. */
async function withUsernames(tx: Tx, { isAmong }: Database, people: NewPerson[]) {
  const named: { person: NewPerson; username: string }[] = []
  const chosen = new Set<string>()
  let unnamed = people
  while (unnamed.length > 0) {
    const choices = unnamed.map((person) => ({ person, candidates: candidatesFor(person) }))
    const keys = json(choices.flatMap(({ candidates }) => candidates.map(usernameKey)))
    const rows = await tx.selectFrom('users').select('username_key').where(isAmong('username_key', keys)).execute()
    const taken = new Set(rows.map(({ username_key }) => username_key))
    unnamed = []
    for (const { person, candidates } of choices) {
      const username = candidates.find((name) => !taken.has(usernameKey(name)) && !chosen.has(usernameKey(name)))
      if (username === undefined) unnamed.push(person)
      else {
        chosen.add(usernameKey(username))
        named.push({ person, username })
      }
    }
  }
  return named
}

function candidatesFor({ user, preferredUsername }: NewPerson): string[] {
  return usernameCandidates(user.first_name, user.last_name, preferredUsername).take(USERNAME_CANDIDATES).toArray()
}

async function insertUsers(tx: Tx, named: { person: NewPerson; username: string }[]): Promise<Set<string>> {
  if (named.length === 0) return new Set()
  const rows = await tx
    .insertInto('users')
    .values(named.map(({ person, username }) => ({ ...person.user, username, username_key: usernameKey(username) })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

async function insertIdentities(tx: Tx, people: NewPerson[]): Promise<void> {
  const linked = people.flatMap(({ identities }) => identities)
  const unlinked = people.flatMap(({ unlinkedIdentities }) => unlinkedIdentities)
  if (linked.length > 0) await tx.insertInto('linked_accounts').values(linked).execute()
  if (unlinked.length > 0) {
    const values = tx.insertInto('unlinked_identities').values(unlinked)
    await values.onConflict((conflict) => conflict.doNothing()).execute()
  }
}

/** Uses up the open invitations of addresses that have an account now. */
async function useInvitations(tx: Tx, { isAmong, now }: Database, emails: string[]): Promise<void> {
  await tx
    .updateTable('invitations')
    .set((eb) => ({
      used_at: now,
      user_id: eb.selectFrom('users').select('id').whereRef('users.email', '=', 'invitations.email'),
    }))
    .where(isAmong('invitations.email', json(emails)))
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .execute()
}
