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
const FailureData = Type.Object(
  {
    means: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'How the person can prove their identity: password, passkey, authenticator-app, recovery-code or mailed-code',
        examples: [['password']],
      }),
    ),
    challenge: Type.Optional(
      Type.String({ description: 'For POST /api/log-in/second-factor', examples: ['Zx3kq9eVb0m4sQ7w'] }),
    ),
    expiresAt: Type.Optional(Type.String({ ...Time, description: 'When the challenge expires' })),
    suspendedUntil: Type.Optional(Type.String({ ...Time, description: 'When the suspension of the account ends' })),
    reason: Type.Optional(
      Type.String({ description: 'Why the account is suspended', examples: ['Unsolicited advertising'] }),
    ),
  },
  {
    title: 'FailureData',
    description: 'Only with the codes `reauthentication_required`, `second_factor_required` and `account_suspended`',
  },
)

export const Failure = Type.Object(
  {
    success: Type.Boolean({ description: 'Always false', examples: [false] }),
    message: Type.String({ description: 'For people', examples: ['Validation failed'] }),
    code: Type.String({ description: 'For programs: a stable name of the error', examples: ['validation_failed'] }),
    errors: Type.Optional(Type.Array(FieldError)),
    data: Type.Optional(FailureData),
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
  const { message, code, exampleData } = kind
  return {
    success: false,
    message,
    code,
    ...(kind === validationFailed && { errors: [exampleOf(FieldError)] }),
    ...(exampleData && { data: exampleData }),
    timestamp: SAMPLE_TIME,
    requestId: SAMPLE_UUID,
  }
}
