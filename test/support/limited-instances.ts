import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Rate } from '../../src/config/settings-reader.ts'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { createLimits, type Limits } from '../../src/http/limits.ts'
import { Refusal } from '../../src/http/refusal.ts'
import { type CleanedUp, cleanUp } from './clean-up.ts'
import type { Service } from './service.ts'

export interface LimitedInstance {
  limits: Limits
  /** How many statements its limits have sent. */
  statements: number
}

export const keyedLike = (text: string) => createHash('sha256').update(text).digest('base64url')

/** A database that counts the prepared statements that are sent to it. */
export function counting(database: Database): Database & { statements: number } {
  const counted = {
    ...database,
    statements: 0,
    prepare: ((build, care) => {
      const run = database.prepare(build, care)
      return (...values) => {
        counted.statements += 1
        return run(...values)
      }
    }) as Database['prepare'],
  }
  return counted
}

/** The limits of several instances on the database of a service, each with connections of its own. */
export async function limitedInstances(
  test: CleanedUp,
  { portico: { config, log } }: Service,
  count: number,
  api: Rate,
  timeoutMs = config.database.timeoutMs,
): Promise<LimitedInstance[]> {
  assert.ok(config.rateLimits)
  const rates = { ...config.rateLimits, api }
  return Promise.all(
    Array.from({ length: count }, async () => {
      const database = await openDatabase({ ...config.database, timeoutMs }, log)
      cleanUp(test, () => database.close())
      const counted = counting(database)
      return {
        limits: createLimits(rates, counted, keyedLike),
        get statements() {
          return counted.statements
        },
      }
    }),
  )
}

/** Whether a request was admitted. Anything but a 429 is an error. */
export async function isAdmitted(take: () => ReturnType<Limits['take']>): Promise<boolean> {
  try {
    await take()
    return true
  } catch (error) {
    if (error instanceof Refusal && error.status === 429) return false
    throw error
  }
}
