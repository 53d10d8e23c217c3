import { Refusal } from '../http/refusal.ts'
import type { HashClient } from './hash-queue.ts'
import { hashPassword, isOutdated } from './password.ts'

/**
 * The hash of today for a password that was just verified against an older one, or against that of another system.
 * Undefined if the stored hash is of today, or if the queue of hashes is full: the next log-in replaces it then.
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
