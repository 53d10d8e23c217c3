import { betterAuthHash, type FirebaseParameters, firebaseHash, storedFormat } from './foreign-hash.ts'
import {
  avatarOf,
  type ForeignRow,
  isTrue,
  namesOf,
  objectOf,
  PersonFault,
  suspensionOf,
  textOf,
  timeOf,
  verifiedAt,
  withTime,
} from './foreign-values.ts'
import type { PersonRecord } from './record.ts'

/** A person of another system, and the stored format of their password hash. `hash` throws if it is not usable. */
export interface ForeignPerson {
  record: PersonRecord
  hash: (() => string) | undefined
}

const hashed = (hash: unknown, convert: (hash: string) => string) =>
  textOf(hash) ? () => convert(textOf(hash)) : undefined

/** A row of `user` of better-auth. `password` is that of its row in `account` with the provider `credential`. */
export function fromBetterAuth(row: ForeignRow): ForeignPerson {
  const createdAt = timeOf(row.createdAt)
  return {
    record: {
      email: textOf(row.email),
      ...withTime('createdAt', createdAt),
      ...verifiedAt(isTrue(row.emailVerified), createdAt),
      ...namesOf({ whole: row.name }),
      ...(textOf(row.username) && { username: textOf(row.displayUsername) || textOf(row.username) }),
      ...avatarOf(row.image),
      ...suspensionOf(isTrue(row.banned), timeOf(row.banExpires)),
    },
    hash: hashed(row.password, betterAuthHash),
  }
}

/** A row of `auth.users` of Supabase. */
export function fromSupabase(row: ForeignRow): ForeignPerson {
  if (textOf(row.deleted_at)) throw new PersonFault('the person was deleted there')
  const about = objectOf(row.raw_user_meta_data)
  const createdAt = timeOf(row.created_at)
  const confirmedAt = timeOf(row.email_confirmed_at)
  return {
    record: {
      email: textOf(row.email),
      ...withTime('createdAt', createdAt),
      ...verifiedAt(confirmedAt !== undefined, confirmedAt),
      ...namesOf({ first: about.first_name, last: about.last_name, whole: about.full_name || about.name }),
      ...(textOf(about.user_name) && { username: textOf(about.user_name) }),
      ...avatarOf(about.avatar_url),
      ...suspensionOf(textOf(row.banned_until) !== '', timeOf(row.banned_until)),
    },
    hash: hashed(row.encrypted_password, storedFormat),
  }
}

/** A row of the collection `users` of PocketBase. Before its version 0.23 the hash was called `passwordHash`. */
export function fromPocketBase(row: ForeignRow): ForeignPerson {
  const createdAt = timeOf(row.created)
  return {
    record: {
      email: textOf(row.email),
      ...withTime('createdAt', createdAt),
      ...verifiedAt(isTrue(row.verified), createdAt),
      ...namesOf({ whole: row.name }),
      ...(textOf(row.username) && { username: textOf(row.username) }),
    },
    hash: hashed(row.password || row.passwordHash, storedFormat),
  }
}

/** A user in a file of `firebase auth:export`. */
export function fromFirebase(row: ForeignRow, parameters: FirebaseParameters | undefined): ForeignPerson {
  const createdAt = timeOf(row.createdAt)
  const { passwordHash, salt } = row
  return {
    record: {
      email: textOf(row.email),
      ...withTime('createdAt', createdAt),
      ...verifiedAt(isTrue(row.emailVerified), createdAt),
      ...namesOf({ whole: row.displayName }),
      ...avatarOf(row.photoUrl),
      ...suspensionOf(isTrue(row.disabled)),
    },
    hash: hashed(passwordHash, (hash) => {
      if (!parameters) throw new MissingParameters()
      return firebaseHash(hash, textOf(salt), parameters)
    }),
  }
}

/** The file has hashes of Firebase, and the parameters of the project were not given. */
export class MissingParameters extends Error {}

/** A user of an export of Auth0: that of the users, or the one with hashes that its support makes. */
export function fromAuth0(row: ForeignRow): ForeignPerson {
  const createdAt = timeOf(objectOf(row.created_at).$date ?? row.created_at)
  return {
    record: {
      email: textOf(row.email),
      ...withTime('createdAt', createdAt),
      ...verifiedAt(isTrue(row.email_verified), createdAt),
      // Auth0 takes the address as the name of somebody who has given none.
      ...namesOf({ first: row.given_name, last: row.family_name, whole: row.name === row.email ? '' : row.name }),
      ...(textOf(row.username) && { username: textOf(row.username) }),
      ...avatarOf(row.picture),
      ...suspensionOf(isTrue(row.blocked)),
    },
    hash: hashed(row.passwordHash || row.password_hash, storedFormat),
  }
}
