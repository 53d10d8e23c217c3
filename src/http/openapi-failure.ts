import { FIELD_ERROR_CODES } from './field-error-codes.ts'
import { SAMPLE_TIME, SAMPLE_UUID, Time, Uuid } from './fields.ts'
import type { RefusalKind } from './refusal.ts'

/**
 * The schema of the envelope of every error, for the API descriptions. The codes are listed in the responses of each
 * operation and not here, so that a generated client also reads an error with a code that is newer than the client.
 */
export const Failure = {
  type: 'object',
  required: ['success', 'message', 'code', 'timestamp', 'requestId'],
  properties: {
    success: { type: 'boolean', const: false },
    message: { type: 'string', description: 'For people' },
    code: { type: 'string', description: 'For programs: a stable name of the error' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'code', 'message'],
        properties: {
          field: { type: 'string' },
          code: { type: 'string', enum: Object.keys(FIELD_ERROR_CODES), description: 'For programs' },
          message: { type: 'string', description: 'For people' },
        },
      },
    },
    timestamp: Time,
    requestId: Uuid,
  },
}

/** The schema of an error with one of these codes. OpenAPI 3.1 allows other keywords beside `$ref`. */
export function failureOf(kinds: RefusalKind[]) {
  return {
    $ref: '#/components/schemas/Failure',
    properties: { code: { enum: kinds.map(({ code }) => code) } },
  }
}

export function exampleOfFailure({ message, code }: RefusalKind) {
  return { success: false, message, code, timestamp: SAMPLE_TIME, requestId: SAMPLE_UUID }
}

/** The headers of every response. */
export const ofEveryResponse = {
  'X-Request-Id': {
    description: 'The requestId of the envelope, which is also in the log',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: SAMPLE_UUID,
  },
}
