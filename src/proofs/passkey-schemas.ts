import { nullable, oneOf, type Static, Type } from '../http/schema.ts'

// The JSON types of WebAuthn Level 3 (sections 5.1.8, 5.4 and 5.5): browsers make and read them with
// `PublicKeyCredential.parseCreationOptionsFromJSON`, `parseRequestOptionsFromJSON` and `toJSON`. Fields that the
// service does not need are ignored.

const SAMPLE_ID = 'Kz6sP0nqVfYw1aX3uJ5hTQ'
const SAMPLE_HANDLE = 'mFv3b9qkQ2xWc7Zr0aUeYt5dLh8sJp1NoG4iXy6TzRw'
const SAMPLE_CHALLENGE = 'q83vEjRWeJASNFZ4kKvN7wGTq3VKsAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'

const PUBLIC_KEY = oneOf(['public-key'], { title: 'PasskeyType' })

function base64url(maxLength: number, example: string, description?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[A-Za-z0-9_-]*$',
    'x-pattern-words': 'base64url without padding',
    ...(description && { description }),
    examples: [example],
  })
}

// A credential id has at most 1023 bytes (WebAuthn Level 3, section 4).
const MAX_ID_CHARACTERS = 1364
// Client data is some hundred bytes; browsers may add fields to it.
const MAX_CLIENT_DATA_CHARACTERS = 4096
// Authenticators may attach certificates, which the service ignores.
const MAX_ATTESTATION_CHARACTERS = 16_384
const MAX_AUTHENTICATOR_DATA_CHARACTERS = 4096
// The signature of an RSA key of 4096 bits has 512 bytes.
const MAX_SIGNATURE_CHARACTERS = 1024
// A user handle has at most 64 bytes (section 5.4.3).
const MAX_HANDLE_CHARACTERS = 86

const ClientData = base64url(
  MAX_CLIENT_DATA_CHARACTERS,
  'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  'The client data with the challenge and the origin',
)

export const PasskeyId = base64url(MAX_ID_CHARACTERS, SAMPLE_ID, 'The credential id')

/** What `navigator.credentials.get` has returned, as `toJSON` writes it. */
export const PasskeyAssertion = Type.Object(
  {
    id: PasskeyId,
    rawId: PasskeyId,
    type: PUBLIC_KEY,
    response: Type.Object(
      {
        clientDataJSON: ClientData,
        authenticatorData: base64url(
          MAX_AUTHENTICATOR_DATA_CHARACTERS,
          'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
        ),
        signature: base64url(MAX_SIGNATURE_CHARACTERS, 'MEUCIQDx6tM0vN3bq1uZ5lZr0fJw'),
        userHandle: Type.Optional(nullable(base64url(MAX_HANDLE_CHARACTERS, SAMPLE_HANDLE))),
      },
      { title: 'PasskeyAssertionResponse' },
    ),
  },
  {
    title: 'PasskeyAssertion',
    description: 'The credential that the browser has returned for the options, as its method toJSON writes it',
  },
)
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

/** What `navigator.credentials.create` has returned, as `toJSON` writes it. */
export const PasskeyAttestation = Type.Object(
  {
    id: PasskeyId,
    rawId: PasskeyId,
    type: PUBLIC_KEY,
    response: Type.Object(
      {
        clientDataJSON: ClientData,
        attestationObject: base64url(MAX_ATTESTATION_CHARACTERS, 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik'),
        transports: Type.Optional(
          Type.Array(
            Type.String({
              maxLength: 32,
              pattern: '^[a-z-]*$',
              'x-pattern-words': 'small letters and dashes',
              examples: ['internal'],
            }),
            { maxItems: 10 },
          ),
        ),
      },
      { title: 'PasskeyAttestationResponse' },
    ),
  },
  {
    title: 'PasskeyAttestation',
    description: 'The credential that the browser has created for the options, as its method toJSON writes it',
  },
)
export type PasskeyAttestation = Static<typeof PasskeyAttestation>

const PasskeyDescriptor = Type.Object(
  {
    id: Type.String({ examples: [SAMPLE_ID] }),
    type: PUBLIC_KEY,
    transports: Type.Array(Type.String({ examples: ['internal'] })),
  },
  { title: 'PasskeyDescriptor' },
)
const Challenge = Type.String({ description: 'Works once, within 5 minutes', examples: [SAMPLE_CHALLENGE] })
const Timeout = Type.Integer({ description: 'In milliseconds', examples: [300_000] })
const UserVerification = Type.String({ description: 'Always `required`', examples: ['required'] })

/** The argument of `navigator.credentials.get`. */
export const PasskeyRequestOptions = Type.Object(
  {
    challenge: Challenge,
    rpId: Type.String({ examples: ['example.com'] }),
    timeout: Timeout,
    userVerification: UserVerification,
    allowCredentials: Type.Array(PasskeyDescriptor, {
      description: 'Empty for a sign-in: the browser offers its passkeys',
    }),
  },
  { title: 'PasskeyRequestOptions' },
)

/** The argument of `navigator.credentials.create`. */
export const PasskeyCreationOptions = Type.Object(
  {
    challenge: Challenge,
    rp: Type.Object(
      { id: Type.String({ examples: ['example.com'] }), name: Type.String({ examples: ['Example'] }) },
      { title: 'RelyingParty' },
    ),
    user: Type.Object(
      {
        id: Type.String({ description: 'A random user handle', examples: [SAMPLE_HANDLE] }),
        name: Type.String({ examples: ['ada@example.com'] }),
        displayName: Type.String({ examples: ['Ada Lovelace'] }),
      },
      { title: 'PasskeyUser' },
    ),
    pubKeyCredParams: Type.Array(
      Type.Object(
        { type: PUBLIC_KEY, alg: Type.Integer({ description: 'A COSE algorithm', examples: [-7] }) },
        { title: 'PasskeyAlgorithm' },
      ),
    ),
    timeout: Timeout,
    attestation: Type.String({ description: 'Always `none`', examples: ['none'] }),
    excludeCredentials: Type.Array(PasskeyDescriptor, { description: 'The passkeys that the account has' }),
    authenticatorSelection: Type.Object(
      {
        residentKey: Type.String({ description: 'Always `required`', examples: ['required'] }),
        requireResidentKey: Type.Boolean(),
        userVerification: UserVerification,
      },
      { title: 'AuthenticatorSelection' },
    ),
  },
  { title: 'PasskeyCreationOptions' },
)
