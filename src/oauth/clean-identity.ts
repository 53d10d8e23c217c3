import { EMAIL } from '../accounts/fields.ts'
import { nameFromEmail } from '../accounts/new-user.ts'
import { isHttpUrl } from '../http/schema-keywords.ts'
import { oneLine } from '../lib/one-line.ts'
import type { Identity } from './identity.ts'

/** Sanitises the data of a provider. Values that an account may not have are removed or shortened. */
export function cleanIdentity(identity: Identity): Identity {
  const verifiedEmail = cleanEmail(identity.verifiedEmail ?? '')
  const { avatar = '' } = identity
  return {
    ...identity,
    verifiedEmail,
    firstName: oneLine(identity.firstName, 50) || nameFromEmail(verifiedEmail ?? ''),
    lastName: oneLine(identity.lastName, 50),
    username: oneLine(identity.username ?? '', 100) || undefined,
    avatar: avatar.length <= 2048 && isHttpUrl(avatar) ? avatar : undefined,
  }
}

/** Validates before converting to lower case, which turns some non-ASCII letters into ASCII: U+212A becomes "k". */
function cleanEmail(input: string): string | undefined {
  const email = input.trim()
  return email.length <= 254 && new RegExp(EMAIL).test(email) ? email.toLowerCase() : undefined
}
