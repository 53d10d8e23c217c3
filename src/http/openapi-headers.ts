import { SAMPLE_UUID } from './fields.ts'

/** The headers of responses that a rate limit counts, under the names of their components. */
export const limitHeaderComponents = {
  'X-Request-Id': {
    description: 'The requestId of the envelope, which is also in the log',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: SAMPLE_UUID,
  },
  // Optional: calls pass uncounted while the database cannot be written.
  RateLimit: {
    description:
      'What is left of each limit, and the seconds until it starts anew (IETF draft "RateLimit header fields")',
    schema: { type: 'string' },
    example: '"api";r=99;t=60',
  },
  'RateLimit-Policy': {
    description: 'The limits themselves: a count (q) in a window of seconds (w)',
    schema: { type: 'string' },
    example: '"api";q=100;w=60',
  },
  'Retry-After': {
    description: 'The seconds after which another try is of use',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
}

/** All headers of the account API, under the names of their components. */
export const headerComponents = {
  ...limitHeaderComponents,
  'WWW-Authenticate': { description: 'Bearer', required: true, schema: { type: 'string' }, example: 'Bearer' },
  Location: {
    description: 'The address that the browser is sent to',
    required: true,
    schema: { type: 'string' },
    example: '/account',
  },
}

type HeaderName = keyof typeof headerComponents

/** References to headers, by name. */
export function headersOf(...names: HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
