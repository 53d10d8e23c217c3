import type { IncomingHttpHeaders } from 'node:http'
import type { FieldError } from './refusal.ts'

/** The access token (RFC 6750, section 2.1). The name of the scheme is case-insensitive (RFC 9110, section 11.1). */
export function bearerToken({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return authorization.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7) : undefined
}

/**
 * The credential headers that a call lacks. Only their presence is checked, so the result reveals nothing about a token
 * or a session.
 */
export function missingCredentials(headers: IncomingHttpHeaders): FieldError[] {
  return [
    ...(bearerToken(headers) ? [] : [NO_TOKEN]),
    // An empty header counts as missing.
    ...(headers['x-session-id'] ? [] : [NO_SESSION]),
  ]
}

const NO_TOKEN: FieldError = {
  field: 'authorization',
  code: 'required',
  message: 'Send the access token in the header Authorization: Bearer',
}
const NO_SESSION: FieldError = {
  field: 'x-session-id',
  code: 'required',
  message: 'Send the id of the session in the header X-Session-Id',
}
