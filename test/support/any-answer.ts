import assert from 'node:assert/strict'
import type { Answer } from './api.ts'
import { assertRefused, assertSucceeded } from './envelope.ts'

/** Whatever it says, it says it in the envelope, and it is no fault of the service; one of the statuses if there are any. */
export function assertAnswered(answer: Answer, statuses?: number[]): void {
  const { status, body } = answer
  assert.ok(statuses ? statuses.includes(status) : status < 500, `${status}: ${JSON.stringify(body)}`)
  if (status < 400) assertSucceeded(answer, status)
  else assertRefused(answer, status)
}
