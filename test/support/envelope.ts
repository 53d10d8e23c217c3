import assert from 'node:assert/strict'
import type { Answer } from './api.ts'
import { ERROR_CODES, FIELD_ERROR_CODES } from './error-codes.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function assertSucceeded(answer: Answer, status = 200): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.equal(answer.body.success, true)
  assert.ok(!('errors' in answer.body))
  assertEnvelope(answer)
}

export function assertRefused(answer: Answer, status: number, message?: string): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body))
  assert.equal(answer.body.success, false)
  assert.ok(!('data' in answer.body))
  if (message !== undefined) assert.equal(answer.body.message, message)
  assert.deepEqual(ERROR_CODES[answer.body.code], [status, answer.body.message], answer.body.code)
  for (const { code } of answer.body.errors ?? []) assert.ok(FIELD_ERROR_CODES.includes(code), code)
  assertEnvelope(answer)
}

/** What every answer of the account API has, whichever layer gave it. */
function assertEnvelope({ body, headers }: Answer): void {
  assert.equal(typeof body.message, 'string')
  assert.match(body.requestId, UUID)
  assert.equal(headers.get('x-request-id'), body.requestId)
  assert.equal(new Date(body.timestamp).toISOString(), body.timestamp)
  assert.ok(Math.abs(Date.parse(body.timestamp) - Date.now()) < 60_000)
}

/** The messages of the validation errors of an answer, by field. */
export function fieldsOf({ body }: Answer): Record<string, string> {
  return Object.fromEntries(
    (body.errors ?? []).map(({ field, message }: { field: string; message: string }) => [field, message]),
  )
}

/** The codes of the validation errors of an answer, by field. */
export function fieldCodesOf({ body }: Answer): Record<string, string> {
  return Object.fromEntries(
    (body.errors ?? []).map(({ field, code }: { field: string; code: string }) => [field, code]),
  )
}
