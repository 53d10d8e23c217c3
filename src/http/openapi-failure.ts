import { exampleOf } from './example.ts'
import { FIELD_ERROR_CODES } from './field-error-codes.ts'
import { SAMPLE_TIME, SAMPLE_UUID, Time, Uuid } from './fields.ts'
import { declaredRefusals, type RefusalKind, validationFailed } from './refusal.ts'
import { oneOf, Type } from './schema.ts'

const FieldError = Type.Object(
  {
    field: Type.String({ examples: ['email'] }),
    code: Type.String({
      description: `For programs: ${Object.keys(FIELD_ERROR_CODES).join(', ')}. A new version may add codes`,
      examples: ['required'],
    }),
    message: Type.String({ description: 'For people', examples: ['Email is required'] }),
  },
  { title: 'FieldError' },
)

/**
 * The schema of the envelope of every error, for the API descriptions. `code` is plain text, so that a generated client
 * also reads an error whose code is newer than the client.
 */
export const Failure = Type.Object(
  {
    success: Type.Boolean({ description: 'Always false', examples: [false] }),
    message: Type.String({ description: 'For people', examples: ['Validation failed'] }),
    code: Type.String({ description: 'For programs: a stable name of the error', examples: ['validation_failed'] }),
    errors: Type.Optional(Type.Array(FieldError)),
    timestamp: Time,
    requestId: Uuid,
  },
  { title: 'Failure' },
)

/** All codes, from which generators make an enumeration. */
export function errorCodes() {
  return oneOf(
    declaredRefusals().map(({ code }) => code),
    { title: 'ErrorCode', description: 'The codes of all errors. A new version may add codes' },
  )
}

/** The body of a response with one of these errors, and their codes. */
export function failureResponse(kinds: RefusalKind[]) {
  const examples = kinds.map((kind) => [kind.code, { value: exampleOfRefusal(kind) }])
  return {
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Failure' },
        examples: Object.fromEntries(examples),
      },
    },
    'x-error-codes': kinds.map(({ code }) => code),
  }
}

function exampleOfRefusal(kind: RefusalKind) {
  if (kind === validationFailed) return exampleOf(Failure)
  return { success: false, message: kind.message, code: kind.code, timestamp: SAMPLE_TIME, requestId: SAMPLE_UUID }
}
