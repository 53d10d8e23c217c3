import { isoTime } from '../lib/dates.ts'
import type { FieldError } from './refusal.ts'

export interface Answer<Data = unknown> {
  /** Where it differs from the message of the operation. */
  message?: string
  data?: Data
  cookies?: string[]
}

/** For browsers on their way: not an answer, but where to go for one. */
export interface Redirect {
  redirect: string
  cookies?: string[]
}

/** The one shape of every account API answer, whichever layer gives it. */
export function success(requestId: string, message: string, data: unknown) {
  return { success: true, message, data, timestamp: isoTime(Date.now()), requestId }
}

export function failure(requestId: string, message: string, errors?: FieldError[]) {
  return { success: false, message, errors, timestamp: isoTime(Date.now()), requestId }
}
