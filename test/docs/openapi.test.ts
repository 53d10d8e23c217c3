import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { createApp } from '../../src/app.ts'
import { ownerRoutes } from '../../src/owner/routes.ts'
import {
  type ApiResponse,
  assertRefused,
  type CallOptions,
  call,
  codeFor,
  fieldsOf,
  get,
  logIn,
  newEmail,
  PASSWORD,
  registration,
  signUp,
} from '../support/api.ts'
import { type ApiDescription, readDescription, readDocument } from '../support/api-description.ts'
import { filePart, WIRE_FORM, wireForm } from '../support/hostile-input.ts'
import { signUpOwner } from '../support/owners.ts'
import { ANY_PICTURE } from '../support/pictures.ts'
import { onBothEngines, type Service } from '../support/service.ts'

const NEW_PASSWORD = 'Another-Horse-8'

// The paths that the API must have. The description may have more.
const PROMISED = [
  'POST /api/create-account',
  'POST /api/log-in',
  'POST /api/auth/refresh-token',
  'POST /api/email-verification',
  'POST /api/email-verification/resend',
  'POST /api/forgot-password',
  'POST /api/reset-password',
  'POST /api/auth/logout',
  'GET /api/user-details',
  'POST /api/user-details',
  'POST /api/change-password',
  'GET /api/change-username',
  'POST /api/change-username',
  'DELETE /api/delete-user',
  'POST /api/upload-avatar',
  'DELETE /api/upload-avatar',
  'GET /api/sessions',
  'DELETE /api/sessions',
  'DELETE /api/sessions/others',
  'POST /api/uploads',
]

describe('the API description', () => {
  onBothEngines(
    (service) => {
      it('is an OpenAPI 3.1.0 document of this address', async () => {
        const response = await get(service, '/api/openapi.json')
        assert.equal(response.status, 200)
        assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
        assert.equal(response.body.openapi, '3.1.0')
        assert.deepEqual(response.body.servers, [{ url: 'https://portico.test' }])
      })

      it('lints without an error', async () => {
        const { document } = await readDescription(service)
        const config = await createConfig({ extends: ['recommended'] })
        const problems = await lintFromString({ source: JSON.stringify(document), config })
        const errors = problems.filter(({ severity }) => severity === 'error')
        assert.deepEqual(
          errors.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`),
          [],
        )
      })

      it('of the operations for owners lints without an error and has every route', async () => {
        const owner = await signUpOwner(service)
        const { body: document } = await get(service, '/api/owner/openapi.json', { as: owner })
        const config = await createConfig({ extends: ['recommended'] })
        const problems = await lintFromString({ source: JSON.stringify(document), config })
        assert.deepEqual(
          problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
          [],
        )
        const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
          Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
        )
        const real = ownerRoutes(service.portico).map(([method, path]) => `${method} ${path}`)
        assert.deepEqual(described.sort(), real.sort())
      })

      it('has every route of the API, and no other', async () => {
        const { operations } = await readDescription(service)
        const described = operations.map(({ method, path }) => `${method} ${path}`).sort()
        const { server } = createApp(service.portico)
        const real = server.list().filter((route) => / \/api\/(?!owner\/)/.test(route) && !route.startsWith('HEAD '))
        await server.close()
        // The description does not describe itself, and the calendar belongs to the one of the content.
        const others = ['GET /api/openapi.json', 'GET /api/github-contributions']
        assert.deepEqual(described, real.filter((route) => !others.includes(route)).sort())
        assert.deepEqual(
          PROMISED.filter((route) => !described.includes(route)),
          [],
        )
        for (const { method, path } of operations) {
          const { status, body } = await call(service, method, path)
          // A route may respond that a resource does not exist, but not that the route itself does not exist.
          assert.ok(status !== 405 && body.message !== 'Not found', `${method} ${path} responds with ${status}`)
        }
      })

      it('lists which operations require a session', async () => {
        const { operations } = await readDescription(service)
        for (const { method, path, security } of operations) {
          const { status } = await call(service, method, path)
          assert.equal(status === 401, security.length > 0, `${method} ${path} responds with ${status}`)
        }
      })

      it('lists which fields, headers and parameters are required', async () => {
        const as = await signUp(service)
        const { operations } = await readDescription(service)
        for (const { method, path, security, parameters, requestBody } of operations) {
          const options = security.length > 0 ? { as } : {}
          const [content] = Object.values(requestBody?.content ?? {})
          const fields = content?.schema.required ?? []
          const beside = parameters.filter(({ required }) => required).map(({ name }) => name.toLowerCase())
          assert.equal(requestBody?.required ?? false, fields.length > 0)
          if (fields.length > 0) {
            const headers = Object.fromEntries(beside.map((name) => [name, 'given']))
            const response = await call(service, method, path, {}, { ...options, headers })
            assert.deepEqual(missingFrom(response), fields.toSorted(), `${method} ${path}`)
          }
          if (beside.length > 0) {
            const body = fields.length > 0 ? Object.fromEntries(fields.map((name) => [name, 'given'])) : undefined
            const response = await call(service, method, path, body, options)
            assert.deepEqual(missingFrom(response), beside.toSorted(), `${method} ${path}`)
          }
        }
      })

      it('describes an upload as a form with a file, and the accepted files', async () => {
        const { paths } = await readDocument(service)
        const { content } = paths['/api/uploads'].post.requestBody
        assert.deepEqual(Object.keys(content), ['multipart/form-data'])
        const { schema, encoding } = content['multipart/form-data']
        assert.deepEqual(Object.keys(schema.properties), ['file'])
        // One media type at most: a list or a range of them belongs into the encoding.
        assert.match(schema.properties.file.contentMediaType ?? 'image/png', /^[\w-]+\/[\w.+-]+$/)
        const types: string[] = encoding?.file?.contentType?.split(/,\s*/) ?? []
        assert.deepEqual(types.sort(), ['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp'])
      })

      it('matches the responses of every operation', async () => {
        const api = await readDescription(service)
        await callEveryOperation(service, api)
        const succeeded = [...api.matched].filter((met) => / 20[01]$/.test(met)).map((met) => met.slice(0, -4))
        assert.deepEqual(
          PROMISED.filter((route) => !succeeded.includes(route)),
          [],
        )
      })
    },
    { BASE_URL: 'https://portico.test' },
  )
})

/** The fields that a response reports as required. */
function missingFrom(response: ApiResponse): string[] {
  assertRefused(response, 400, 'Validation failed')
  const missing = Object.entries(fieldsOf(response)).filter(([, message]) => message.endsWith(' is required'))
  return missing.map(([field]) => field).sort()
}

/** Calls every operation so that it succeeds, and most of them so that they refuse. */
async function callEveryOperation(service: Service, api: ApiDescription): Promise<void> {
  const post = (path: string, body?: unknown, options?: CallOptions) => api.call('POST', path, body, options)
  const body = registration()
  const { email } = body
  await post('/api/create-account', body)
  await post('/api/create-account', body)
  await post('/api/create-account', {})
  await post('/api/log-in', { email, password: PASSWORD })
  await post('/api/email-verification/resend', { email })
  await post('/api/email-verification', { email, verificationCode: 'wrong' })
  await post('/api/email-verification', { email, verificationCode: await codeFor(service, email) })
  await post('/api/log-in', { email, password: 'Wrong-Horse-7' })
  await post('/api/log-in', { email, password: PASSWORD })
  await post('/api/forgot-password', { email })
  const passwords = { password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
  await post('/api/reset-password', { email, resetToken: 'wrong', ...passwords })
  await post('/api/reset-password', { email, resetToken: await codeFor(service, email), ...passwords })

  const as = await logIn(service, { email, password: NEW_PASSWORD })
  const other = await logIn(service, { email, password: NEW_PASSWORD })
  const headers = { 'x-session-id': as.sessionId }
  await post('/api/auth/refresh-token', { refreshToken: as.refreshToken }, { headers })
  await post('/api/auth/refresh-token', { refreshToken: 'wrong' }, { headers })
  await post('/api/auth/refresh-token', {}, { headers: {} })

  await post('/api/user-details', profile, { as })
  await post('/api/user-details', { bio: 7 }, { as })
  await api.call('GET', '/api/user-details', undefined, { as })
  await api.call('GET', '/api/user-details')
  const form = { as, headers: WIRE_FORM }
  await post('/api/uploads', wireForm(filePart(ANY_PICTURE)), form)
  await post('/api/uploads', wireForm(filePart(Buffer.from('words'))), form)
  await post('/api/uploads', wireForm(filePart(Buffer.alloc(6_000_000))), form)
  await post('/api/upload-avatar', { avatar: 'https://images.example/a.png' }, { as })
  await api.call('DELETE', '/api/upload-avatar', undefined, { as })
  await api.call('GET', '/api/change-username?username=somebody-new', undefined, { as })
  await api.call('GET', '/api/change-username', undefined, { as })
  const taken = await signUp(service, { firstName: 'Already', lastName: 'Taken', email: newEmail() })
  const { username } = (await get(service, '/api/user-details', { as: taken })).body.data.user
  await post('/api/change-username', { username }, { as })
  await post('/api/change-username', { username: `new.${email.slice(0, 15)}` }, { as })
  await post('/api/change-username', { username: 'once-more' }, { as })

  await api.call('DELETE', '/api/sessions', { sessionId: other.sessionId }, { as })
  await api.call('DELETE', '/api/sessions', { sessionId: as.sessionId }, { as })
  await api.call('DELETE', '/api/sessions', { sessionId: 'unknown' }, { as })
  await api.call('DELETE', '/api/sessions/others', undefined, { as })
  await api.call('GET', '/api/sessions', undefined, { as })
  await api.call('GET', '/api/security-events?limit=3', undefined, { as })
  await api.call('GET', '/api/security-events?limit=1000', undefined, { as })

  const change = { newPassword: PASSWORD, confirmPassword: PASSWORD }
  await post('/api/change-password', { currentPassword: 'Wrong-Horse-7', ...change }, { as })
  await post('/api/change-password', { currentPassword: NEW_PASSWORD, ...change }, { as })
  await post('/api/auth/logout', undefined, { as })
  const last = { as: await logIn(service, { email, password: PASSWORD }) }
  await api.call('DELETE', '/api/delete-user', { password: 'Wrong-Horse-7' }, last)
  await api.call('DELETE', '/api/delete-user', { password: PASSWORD }, last)
}

const profile = {
  firstName: 'Ada',
  bio: 'Wrote the first program.',
  location: { city: 'London' },
  socialAccounts: [{ provider: 'codehost', url: 'https://codehost.example/ada' }],
  preferences: { theme: 'dark', font: 'mono' },
  dob: '1815-12-10',
}
