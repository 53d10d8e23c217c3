import { randomInt } from 'node:crypto'
import type { Query, Tx } from '../database/engine.ts'
import type { GuessLimit } from './guess-limit.ts'

const CODE_COUNT = 10
// Crockford's base 32 (https://www.crockford.com/base32.html): no letter that looks like another character.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
// 15 characters of 5 bits: 75 bits, which cannot be guessed even with the keyed hash and its key.
const GROUP_CHARACTERS = 5
const GROUPS_PER_CODE = 3

/** Codes that replace the second factor when the app or the passkey is lost. Each can be used once. */
export function createRecoveryCodes(hash: (text: string) => string, guessLimit: GuessLimit) {
  const digest = (userId: string, code: string) => hash(JSON.stringify(['recovery-code', userId, normalised(code)]))

  async function countLeft(query: Query, userId: string): Promise<number> {
    const { left } = await query
      .selectFrom('recovery_codes')
      .select((eb) => eb.fn.countAll<number>().as('left'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow()
    return left
  }

  return {
    countLeft,
    /** Makes new codes. All earlier ones stop working. The table stores only keyed hashes. */
    async replace(tx: Tx, userId: string): Promise<string[]> {
      const codes = Array.from({ length: CODE_COUNT }, newCode)
      await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
      await tx
        .insertInto('recovery_codes')
        .values(codes.map((code) => ({ user_id: userId, hash: digest(userId, code) })))
        .execute()
      return codes
    },
    /**
     * Uses up a code. The caller has locked the row of the user, and commits also when this returns undefined. Returns
     * the number of codes that are left. A wrong code counts as a try of the second factor, but a correct one is
     * accepted after any number of wrong ones: 75 bits cannot be guessed, and otherwise anyone with the password could
     * lock the account holder out.
     */
    async use(tx: Tx, userId: string, code: string): Promise<{ left: number } | undefined> {
      const used = await tx
        .deleteFrom('recovery_codes')
        .where('user_id', '=', userId)
        .where('hash', '=', digest(userId, code))
        .returning('hash')
        .executeTakeFirst()
      if (!used) {
        await guessLimit.count(tx, userId)
        return undefined
      }
      await guessLimit.reset(tx, userId)
      return { left: await countLeft(tx, userId) }
    },
  }
}

export type RecoveryCodes = ReturnType<typeof createRecoveryCodes>

function newCode(): string {
  const group = () => Array.from({ length: GROUP_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return Array.from({ length: GROUPS_PER_CODE }, group).join('-')
}

/** The code as it was made, however it was typed: Crockford reads O as 0, and I and L as 1. */
function normalised(code: string): string {
  return code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')
}
