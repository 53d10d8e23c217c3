import { isoTime } from '../dates.ts'
import type { FieldError } from './refusal.ts'

export interface Answer<Data = unknown> {
  message: string
  data?: Data
  cookies?: string[]
}

/** For browsers on their way: not an answer, but where to go for one. */
export interface Redirect {
  redirect: string
  cookies?: string[]
}

/** The one shape of every account API answer, whichever layer gives it. */
export function success(requestId: string, { message, data }: Answer) {
  return { success: true, message, data, timestamp: isoTime(Date.now()), requestId }
}

export function failure(requestId: string, message: string, errors?: FieldError[]) {
  return { success: false, message, errors, timestamp: isoTime(Date.now()), requestId }
}
