import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { dereference } from '../../src/http/openapi-references.ts'
import { type ApiResponse, type CallOptions, call, get } from './api.ts'
import { signUpOwner } from './owners.ts'
import type { Service } from './service.ts'

export interface DescribedOperation {
  method: string
  path: string
  operationId: string
  security: unknown[]
  parameters: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { required: boolean; content: { 'application/json'?: { schema: Schema } } }
  responses: Record<string, { content?: Record<string, unknown>; 'x-error-codes'?: string[] }>
}

/** The JSON Schema keywords that our descriptions use. */
export interface Schema {
  type?: string | string[]
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  'x-same-as'?: string
}

export interface Description {
  operations: DescribedOperation[]
  /** The differences between a response body and its described schema, or undefined when there are none. */
  faultOf(at: { method: string; path: string; status: number; type?: string }, body: unknown): string | undefined
  /** The same for a schema that all responses share, by its name. */
  faultBy(name: string, body: unknown): string | undefined
}

export interface ApiDescription {
  document: Record<string, unknown>
  operations: DescribedOperation[]
  /** Makes a call and checks the response against its description. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<ApiResponse>
  /** The descriptions that a response has matched, such as "POST /api/log-in 200". */
  matched: Set<string>
}

const OWNER_DOCUMENT = '/api/owner/openapi.json'
/** The OpenAPI documents of the account API, the content API and the owner API. */
export const DOCUMENTS = ['/api/openapi.json', '/openapi.json', OWNER_DOCUMENT]

/** One of these documents as it is sent. That of the owner API is sent to owners only. */
export async function sentDocument(service: Service, path: string): Promise<ApiResponse['body']> {
  const options = path === OWNER_DOCUMENT ? { as: await signUpOwner(service) } : {}
  return (await get(service, path, options)).body
}

/** An OpenAPI document of the service with every reference resolved. */
export async function readDocument(service: { url: string }, path = '/api/openapi.json'): Promise<ApiResponse['body']> {
  return dereference((await get(service, path)).body)
}

export async function readDescription(service: { url: string }): Promise<ApiDescription> {
  const { body: document } = await get(service, '/api/openapi.json')
  const { operations, faultOf } = compileDescription(document)
  const matched = new Set<string>()

  return {
    document,
    operations,
    matched,
    async call(method, path, body, options) {
      const response = await call(service, method, path, body, options)
      const [route = ''] = path.split('?')
      const fault = faultOf({ method, path: route, status: response.status }, response.body)
      assert.equal(fault, undefined, `${method} ${path} responded with ${response.status}`)
      matched.add(`${method} ${route} ${response.status}`)
      return response
    },
  }
}

/** Reads an OpenAPI document for checking responses against it. */
export function compileDescription(published: object): Description {
  const document = dereference(published)
  const { paths } = document as { paths: Record<string, Record<string, DescribedOperation>> }
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS })
  ajv.addSchema(withoutOtherFields(document), 'api.json')
  const faultAt = (place: string[], body: unknown) => {
    const validate = ajv.getSchema(`api.json#/${place.map(pointerPart).join('/')}`)
    if (!validate) return 'the response is not described'
    return validate(body) ? undefined : ajv.errorsText(validate.errors)
  }
  return {
    operations: Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        parameters: operation.parameters ?? [],
        method: method.toUpperCase(),
        path,
      })),
    ),
    faultOf({ method, path, status, type = 'application/json' }, body) {
      const place = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
      const codes = paths[path]?.[method.toLowerCase()]?.responses[status]?.['x-error-codes']
      return faultAt(place, body) ?? faultOfCode(codes, (body as { code?: string }).code)
    },
    faultBy: (name, body) => faultAt(['components', 'schemas', name], body),
  }
}

/** The schema of an error has no list of codes: the response has it. Bytes that are not HTTP get 400 on every route. */
function faultOfCode(codes: string[] | undefined, code = ''): string | undefined {
  const isListed = codes === undefined || [...codes, 'malformed_request'].includes(code)
  return isListed ? undefined : `the code ${code} is not one of ${codes.join(', ')}`
}

export const FORMATS = {
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: (text: string) => URL.canParse(text),
  password: true as const,
}

/** A response must have no field that is not described. */
function withoutOtherFields(schema: unknown): never {
  if (typeof schema !== 'object' || schema === null) return schema as never
  if (Array.isArray(schema)) return schema.map(withoutOtherFields) as never
  const inner: { type?: unknown; properties?: object } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, withoutOtherFields(value)]),
  )
  // An object without described properties may have any.
  const isObject = 'properties' in inner && Object.keys(inner.properties ?? {}).length > 0 && inner.type === 'object'
  return (isObject ? { ...inner, additionalProperties: false } : inner) as never
}

function pointerPart(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

export interface DescribedRoute {
  method: string
  path: string
  /** The names of the fields of its body; undefined when the route takes no body. */
  fields: string[] | undefined
  /** Whether the body has required fields. */
  needsBody: boolean
}

/** Every route of the account API as the service itself describes it, so that no test misses a route. */
export async function describedRoutes(service: { url: string }): Promise<DescribedRoute[]> {
  const { paths } = await readDocument(service)
  return Object.entries<Record<string, DescribedMethod>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      fields: requestBody && Object.values(requestBody.content).flatMap(({ schema }) => Object.keys(schema.properties)),
      needsBody: requestBody?.required ?? false,
    })),
  )
}

interface DescribedMethod {
  requestBody?: { required: boolean; content: Record<string, { schema: { properties: object } }> }
}

export async function routesWithBody(service: { url: string }) {
  const routes = await describedRoutes(service)
  return routes.filter((route): route is DescribedRoute & { fields: string[] } => route.fields !== undefined)
}

/** A call as the markdown of a reference describes it. */
export interface ReferenceCall {
  /** Such as "POST /api/log-in". */
  name: string
  /** Its whole section. */
  text: string
  curl: string
  typescript: string
  /** The status of the example response. */
  status: number
}

/** The calls of a reference, from its markdown. */
export async function referenceCalls(service: { url: string }, path: string): Promise<ReferenceCall[]> {
  const { body } = await get(service, `${path}.md`)
  const sections: string[] = String(body).split(/^(?=#{2,3} )/m)
  return sections.flatMap((text) => {
    const [, name] = /^### `([A-Z]+ .+)`$/m.exec(text) ?? []
    const [, status] = /^Response, (\d+) /m.exec(text) ?? []
    return name
      ? [{ name, text, curl: codeIn(text, 'sh'), typescript: codeIn(text, 'ts'), status: Number(status) }]
      : []
  })
}

function codeIn(text: string, language: string): string {
  const [, code = ''] = new RegExp(`^\`\`\`${language}\n([^]*?)\n\`\`\`$`, 'm').exec(text) ?? []
  return code
}
