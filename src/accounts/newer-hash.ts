import { Refusal } from '../http/refusal.ts'
import type { HashClient } from './hash-queue.ts'
import { hashPassword, isOutdated } from './password-hash.ts'

/**
 * A hash with the current parameters, for a password that was just verified against an older hash or one of another
 * system. Undefined if the stored hash has the current parameters, or if the queue of hashes is full: the next log-in
 * replaces it then.
 */
export async function newerHash(password: string, hash: string, client: HashClient): Promise<string | undefined> {
  if (!isOutdated(hash)) return undefined
  try {
    return await hashPassword(password, client)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
