import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { dereference } from '../../src/http/openapi-references.ts'
import { get } from '../support/api.ts'
import { DOCUMENTS, FORMATS, readDocument, sentDocument } from '../support/api-description.ts'
import { onBothEngines } from '../support/service.ts'

// Names that the documentation uses. Programs that import a generated client depend on them.
const NAMED = ['User', 'Session', 'TokenPair', 'SignedIn', 'SecurityEvent', 'LinkedAccount', 'FieldError', 'Failure']

const OPERATION_IDS = [
  ...['changePassword', 'changeUsername', 'checkUsername', 'createAccount', 'deleteAccount', 'finishCodehostSignIn'],
  ...['finishIdpSignIn', 'forgotPassword', 'linkAccount', 'listLinkedAccounts', 'listSecurityEvents', 'listSessions'],
  ...['logIn', 'logOut', 'mailReauthenticationCode', 'readProfile', 'reauthenticate', 'refreshToken', 'removeAvatar'],
  ...['resendVerification', 'resetPassword'],
  ...['revokeOtherSessions', 'revokeSession', 'setAvatar', 'startCodehostSignIn', 'startIdpSignIn', 'unlinkAccount'],
  ...['updateProfile', 'uploadPicture', 'verifyEmail'],
  ...['addAuthenticatorApp', 'changeSecondFactor', 'confirmAuthenticatorApp', 'forgetRememberedBrowsers'],
  ...['listRememberedBrowsers', 'logInSecondFactor', 'readSecondFactor', 'removeAuthenticatorApp'],
  ...['replaceRecoveryCodes'],
  ...['addPasskey', 'beginPasskeyLogIn', 'beginPasskeyProof', 'beginPasskeyRegistration', 'listPasskeys'],
  ...['logInWithPasskey', 'removePasskey', 'removePassword', 'renamePasskey'],
  ...['changeEmail', 'confirmEmailChange', 'undoEmailChange', 'requestLogInCode', 'logInWithCode', 'downloadUserData'],
]

type Part = Record<string, unknown>

/** Every object of a document with its place, except example values. */
function* partsOf(value: unknown, place = ''): Generator<[place: string, Part]> {
  if (typeof value !== 'object' || value === null) return
  yield [place, value as Part]
  for (const [name, part] of Object.entries(value)) {
    if (!['example', 'examples'].includes(name)) yield* partsOf(part, `${place}/${name}`)
  }
}

interface Link {
  operationId: string
  parameters?: Record<string, string>
  requestBody?: string
}

interface Described {
  operationId: string
  parameters: { name: string }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, { links?: Record<string, Link>; content?: Record<string, { example?: unknown }> }>
}

function operationsOf({ paths }: { paths: Record<string, Record<string, Described>> }): Described[] {
  return Object.values(paths).flatMap((methods) => Object.values(methods))
}

/** The part of an example response that a runtime expression of a link names. */
function valueAt(expression: string, example: unknown): unknown {
  const [, pointer = ''] = /^\$response\.body#\/(.*)$/.exec(expression) ?? assert.fail(expression)
  return pointer.split('/').reduce<unknown>((value, name) => (value as Part)[name], example)
}

describe('the API descriptions, for generators of clients', () => {
  onBothEngines(
    (service) => {
      it('have operation ids that read as names of methods', async () => {
        const { body } = await get(service, '/api/openapi.json')
        assert.deepEqual(
          operationsOf(body)
            .map(({ operationId }) => operationId)
            .sort(),
          OPERATION_IDS.toSorted(),
        )
      })

      it('name every object, so that no generator invents a name', async () => {
        for (const path of DOCUMENTS) {
          const body = await sentDocument(service, path)
          for (const [place, { properties }] of partsOf(body)) {
            const isComponent = /^\/components\/schemas\/[A-Za-z]+$/.test(place)
            if (typeof properties === 'object' && !place.endsWith('/properties')) {
              assert.ok(isComponent || Object.keys(properties ?? {}).length === 0, `${path}: ${place} has no name`)
            }
          }
        }
        const { components } = (await get(service, '/api/openapi.json')).body
        assert.deepEqual(
          NAMED.filter((name) => !(name in components.schemas)),
          [],
        )
      })

      it('have nothing beside a reference, and no reference to nothing', async () => {
        for (const path of DOCUMENTS) {
          const body = await sentDocument(service, path)
          for (const [place, part] of partsOf(body)) {
            if (!('$ref' in part)) continue
            assert.deepEqual(Object.keys(part), ['$ref'], `${path}: ${place}`)
            const names = String(part.$ref).split('/').slice(1)
            const target = names.reduce<unknown>((value, name) => (value as Part | undefined)?.[name], body)
            assert.ok(target, `${path}: ${place} refers to ${part.$ref}`)
          }
        }
      })

      it('have an example of every schema, valid by the schema', async () => {
        for (const path of DOCUMENTS) {
          const { components } = dereference(await sentDocument(service, path))
          const ajv = new Ajv2020({ strict: false, formats: { ...FORMATS, binary: true } })
          for (const [name, schema] of Object.entries<{ examples: unknown[] }>(components.schemas)) {
            const [example] = schema.examples
            assert.notEqual(example, undefined, `${name} has no example`)
            assert.ok(ajv.validate(schema, example), `${name}: ${ajv.errorsText()}`)
          }
        }
      })

      it('use types that generators support', async () => {
        for (const path of DOCUMENTS) {
          const body = await sentDocument(service, path)
          for (const [place, { type, ...others }] of partsOf(body)) {
            if (place.endsWith('/properties')) continue
            // A constant becomes an enumeration of text in some languages, which does not read a boolean.
            assert.ok(type !== 'null' && !('const' in others) && !('nullable' in others), `${path}: ${place}`)
            if (Array.isArray(type)) assert.deepEqual([type.length, type[1]], [2, 'null'], `${path}: ${place}`)
          }
        }
        const { components } = (await get(service, '/api/openapi.json')).body
        const { file } = components.schemas.UploadPictureRequest.properties
        assert.deepEqual([file.type, file.format], ['string', 'binary'])
        assert.deepEqual(components.schemas.Session.properties.location.type, ['string', 'null'])
      })

      it('have no component that is named as the constructor of another in Go', async () => {
        for (const path of DOCUMENTS) {
          const { components } = await sentDocument(service, path)
          const names = new Set(Object.keys(components.schemas))
          assert.deepEqual(
            [...names].filter((name) => names.has(`New${name}`)),
            [],
          )
        }
      })

      it('have no two enumerations with the same name of a constant, which Go does not allow', async () => {
        for (const path of DOCUMENTS) {
          const { components } = await sentDocument(service, path)
          const enumerations = Object.values<Record<string, string[]>>(components.schemas)
          for (const name of enumerations.flatMap((schema) => schema['x-enum-varnames'] ?? [])) {
            assert.match(name, /^[A-Z][A-Za-z]*$/, 'generators use the names as they are')
          }
          const names = enumerations.flatMap((schema) => schema['x-enum-varnames'] ?? schema.enum ?? [])
          const constants = names.map((name) => name.toUpperCase().replaceAll(/[^A-Z]/g, '_'))
          assert.equal(new Set(constants).size, constants.length, constants.sort().join(' '))
        }
      })

      it('have links whose values the linked operation accepts', async () => {
        const operations = operationsOf(await readDocument(service))
        const ajv = new Ajv2020({ strict: false, formats: FORMATS })
        const linked = operations.flatMap(({ operationId: from, responses }) =>
          Object.values(responses).flatMap(({ links = {}, content }) =>
            Object.values(links).map((link) => ({ from, link, example: content?.['application/json']?.example })),
          ),
        )
        assert.deepEqual(linked.map(({ from, link }) => `${from} ${link.operationId}`).sort(), [
          'listLinkedAccounts unlinkAccount',
          'listPasskeys removePasskey',
          'listRememberedBrowsers forgetRememberedBrowsers',
          'listSecurityEvents listSecurityEvents',
          'listSessions revokeSession',
          'logIn refreshToken',
          'logInSecondFactor refreshToken',
          'logInWithCode refreshToken',
          'logInWithPasskey refreshToken',
          'refreshToken refreshToken',
          'uploadPicture setAvatar',
          'verifyEmail refreshToken',
        ])
        for (const { from, link, example } of linked) {
          const target = operations.find(({ operationId }) => operationId === link.operationId) ?? assert.fail(from)
          for (const [name, expression] of Object.entries(link.parameters ?? {})) {
            assert.ok(
              target.parameters.some((parameter) => parameter.name === name),
              `${from}: ${name}`,
            )
            if (expression.startsWith('$response')) assert.equal(typeof valueAt(expression, example), 'string')
          }
          if (link.requestBody === undefined) continue
          const schema = target.requestBody?.content['application/json']?.schema ?? assert.fail(from)
          assert.ok(ajv.validate(schema, valueAt(link.requestBody, example)), `${from}: ${ajv.errorsText()}`)
        }
      })
    },
    { RATE_LIMITS: 'on' },
  )
})
