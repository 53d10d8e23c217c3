import { isoTime } from '../lib/dates.ts'
import type { FailureData, FieldError, RefusalKind } from './refusal.ts'

/** The result of an operation. `mount.ts` sends it in the envelope. */
export interface OperationResult<Data = unknown> {
  /** Replaces the message of the operation. */
  message?: string
  data?: Data
  cookies?: string[]
  /** What the metrics count in place of `success`. */
  outcome?: string
}

/** Returned by an operation that redirects the browser instead of sending the envelope. */
export interface Redirect {
  /** The value of the Location header. */
  redirect: string
  cookies?: string[]
  /** What the metrics count in place of `success`. */
  outcome?: string
}

/** The envelope: the shape of every response of the account API, in `success` and `failure`. */
export function success(requestId: string, message: string, data: unknown) {
  return { success: true, message, data, timestamp: isoTime(Date.now()), requestId }
}

export function failure(requestId: string, { message, code }: RefusalKind, errors?: FieldError[], data?: FailureData) {
  return { success: false, message, code, errors, data, timestamp: isoTime(Date.now()), requestId }
}
