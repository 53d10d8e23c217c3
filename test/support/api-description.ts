import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FastifyInstance } from 'fastify'
import { type Answer, type CallOptions, call, get } from './api.ts'

export interface DescribedOperation {
  method: string
  path: string
  operationId: string
  security: unknown[]
  parameters: { name: string; in: string; required: boolean }[]
  requestBody?: { required: boolean; content: { 'application/json': { schema: { required?: string[] } } } }
  responses: Record<string, unknown>
}

export interface ApiDescription {
  document: Record<string, unknown>
  operations: DescribedOperation[]
  /** Makes a call and holds its answer against what is described for it. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  /** Which descriptions have been met by an answer, such as "POST /api/log-in 200". */
  met: Set<string>
}

export async function readDescription(service: { url: string }): Promise<ApiDescription> {
  const { body: document } = await get(service, '/api/openapi.json')
  const operations = Object.entries<Record<string, DescribedOperation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS })
  ajv.addSchema(withoutOtherFields(document), 'api.json')
  const met = new Set<string>()

  return {
    document,
    operations,
    met,
    async call(method, path, body, options) {
      const answer = await call(service, method, path, body, options)
      const [route = ''] = path.split('?')
      const place = ['paths', route, method.toLowerCase(), 'responses', String(answer.status)]
      const schema = [...place, 'content', 'application/json', 'schema'].map(pointerPart).join('/')
      const validate = ajv.getSchema(`api.json#/${schema}`)
      assert.ok(validate, `${method} ${route} answered ${answer.status}, which is not described`)
      assert.ok(validate(answer.body), `${method} ${path}: ${ajv.errorsText(validate.errors)}`)
      met.add(`${method} ${route} ${answer.status}`)
      return answer
    },
  }
}

/** What the server really has, such as "POST /api/log-in". */
export function routesOf(server: FastifyInstance): string[] {
  const branch: string[] = []
  return server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^((?:[│ ] {3})*)[├└]── (\S+) \((.+)\)$/.exec(line) ?? []
      branch.splice(indent.length / 4, Infinity, part)
      return methods
        .split(', ')
        .filter(Boolean)
        .map((method) => `${method} ${branch.join('')}`)
    })
}

const FORMATS = {
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: (text: string) => URL.canParse(text),
  password: true as const,
}

/** A field that is not described must not be answered either. */
function withoutOtherFields(schema: unknown): never {
  if (typeof schema !== 'object' || schema === null) return schema as never
  if (Array.isArray(schema)) return schema.map(withoutOtherFields) as never
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withoutOtherFields(value)]))
  const isObject = 'properties' in schema && 'type' in schema && schema.type === 'object'
  return (isObject ? { ...inner, additionalProperties: false } : inner) as never
}

function pointerPart(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}
