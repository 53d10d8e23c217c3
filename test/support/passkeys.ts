import assert from 'node:assert/strict'
import { type ApiResponse, assertSucceeded, type Credentials, call, del, get, type Person, post } from './api.ts'
import { SoftwareAuthenticator, type Tampering } from './software-authenticator.ts'

/** The origin of the services in tests, from their BASE_URL. */
export const ORIGIN = 'http://localhost:3000'

type Url = { url: string }

export const newAuthenticator = (options: ConstructorParameters<typeof SoftwareAuthenticator>[1] = {}) =>
  new SoftwareAuthenticator(ORIGIN, options)

export async function registrationOptions(service: Url, as: Credentials, body: object = {}) {
  const response = await post(service, '/api/passkeys/registration-options', body, { as })
  assertSucceeded(response)
  return response.body.data.options
}

export async function tryAddPasskey(
  service: Url,
  as: Credentials,
  authenticator: SoftwareAuthenticator,
  tampering: Tampering = {},
  name?: string,
): Promise<ApiResponse> {
  const passkey = authenticator.create(await registrationOptions(service, as), tampering)
  return post(service, '/api/passkeys', { passkey, ...(name && { name }) }, { as })
}

/** A new passkey of the account. */
export async function addPasskey(service: Url, as: Credentials, name?: string, authenticator = newAuthenticator()) {
  assertSucceeded(await tryAddPasskey(service, as, authenticator, {}, name), 201)
  return authenticator
}

export async function signInOptions(service: Url) {
  const response = await post(service, '/api/log-in/passkey/options')
  assertSucceeded(response)
  return response.body.data.options
}

export const sendPasskey = (service: Url, passkey: unknown) => post(service, '/api/log-in/passkey', { passkey })

export async function tryPasskey(service: Url, authenticator: SoftwareAuthenticator, tampering: Tampering = {}) {
  return sendPasskey(service, authenticator.get(await signInOptions(service), tampering))
}

/** A session that a passkey has begun. */
export async function logInWithPasskey(
  service: Url,
  authenticator: SoftwareAuthenticator,
  tampering: Tampering = {},
): Promise<Person> {
  const response = await tryPasskey(service, authenticator, tampering)
  assertSucceeded(response)
  const { user, session, accessToken, refreshToken } = response.body.data
  const { userId, email } = user
  return { userId, email, password: '', sessionId: session.sessionId, accessToken, refreshToken }
}

export async function reauthenticationOptions(service: Url, as: Credentials) {
  const response = await post(service, '/api/reauthenticate/passkey-options', undefined, { as })
  assertSucceeded(response)
  return response.body.data.options
}

export const reauthenticate = (service: Url, as: Credentials, passkey: unknown) =>
  post(service, '/api/reauthenticate', { passkey }, { as })

export interface ListedPasskey {
  id: string
  name: string
  isSynced: boolean
  createdAt: string
  lastUsedAt: string | null
}

export async function listPasskeys(service: Url, as: Credentials): Promise<ListedPasskey[]> {
  const response = await get(service, '/api/passkeys', { as })
  assertSucceeded(response)
  assert.deepEqual(Object.keys(response.body.data), ['passkeys', 'rpId', 'userHandle'])
  return response.body.data.passkeys
}

export const removePasskey = (service: Url, as: Credentials, id: string) =>
  del(service, '/api/passkeys', { id }, { as })

export const renamePasskey = (service: Url, as: Credentials, id: string, name: string) =>
  call(service, 'POST', '/api/passkeys/rename', { id, name }, { as })
