import { SAMPLE_TIME, SAMPLE_UUID, Time, Uuid } from './fields.ts'

/** The schema of the envelope of every error, for the API descriptions. */
export const Failure = {
  type: 'object',
  required: ['success', 'message', 'timestamp', 'requestId'],
  properties: {
    success: { type: 'boolean', const: false },
    message: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
    timestamp: Time,
    requestId: Uuid,
  },
}

export function exampleOfFailure(message: string) {
  return { success: false, message, timestamp: SAMPLE_TIME, requestId: SAMPLE_UUID }
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
