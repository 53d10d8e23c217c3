import type { Config } from '../config/config.ts'
import type { ReadOnlyDatabase } from '../database/read-only.ts'
import { DAY_MS } from '../lib/dates.ts'

/** One result of a check. */
export interface Observation {
  /** A fault must be mended, and a warning should be looked at. */
  status: 'ok' | 'warning' | 'fault' | 'skipped'
  message: string
  /** The remedy for a fault or a warning. */
  remedy?: string
}

export interface Finding extends Observation {
  /** The name of the check. */
  check: string
}

/** The input of a check. */
export interface CheckParts {
  config: Config
  /** Undefined if it does not exist or cannot be opened. */
  database: ReadOnlyDatabase | undefined
  /** Aborted at the time limit of the check. */
  signal: AbortSignal
  /** The recipient of a test mail, if one is to be sent. */
  sendTo?: string | undefined
  /**
   * Removes the secrets of the settings. Every text of a server that has been sent one goes through it, and no other
   * text: a password may be a word that the doctor uses.
   */
  redact(text: string): string
}

/** Looks at one thing that goes wrong in practice. Changes nothing. */
export type Check = (parts: CheckParts) => Promise<Observation[]>

export const ok = (message: string): Observation => ({ status: 'ok', message })
export const skipped = (message: string): Observation => ({ status: 'skipped', message })
export const warning = (message: string, remedy: string): Observation => ({ status: 'warning', message, remedy })
export const fault = (message: string, remedy: string): Observation => ({ status: 'fault', message, remedy })

/** The whole days between two times. */
export function daysBetween(earlierMs: number, laterMs: number): number {
  return Math.floor((laterMs - earlierMs) / DAY_MS)
}
