import fc from 'fast-check'
import type { DescribedOperation, Schema } from '../support/api-description.ts'
import { NASTY_TEXTS, nastyBody, nastyHeader, nastyType } from './nasty.ts'
import { sessionPlaceholder } from './people.ts'
import { valueFor } from './values.ts'

/** A request. Its placeholders (see people.ts) are replaced when it is sent. */
export interface FuzzRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer
}

/** Any request: to described operations, valid or nearly so, and to others. */
export function anyRequest(operations: DescribedOperation[], pages: string[]): fc.Arbitrary<FuzzRequest> {
  const paths = operations.map(({ path }) => path)
  return fc.oneof(
    ...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: requestTo(operation) })),
    { weight: 20, arbitrary: strayRequest([...paths, ...pages]) },
  )
}

/**
 * Operations with more fields are tried more often. A hash takes twenty milliseconds, and a person who loses the
 * session has to be signed in again: such requests are less frequent.
 */
function weightOf({ path, requestBody }: DescribedOperation): number {
  const schema = requestBody?.content['application/json']?.schema ?? {}
  if (/logout|delete-user|reset-password|change-password/.test(path)) return 1
  const hashes = Object.values(schema.properties ?? {}).some(({ format }) => format === 'password')
  return hashes ? 2 : 12 + fieldsIn(schema)
}

function fieldsIn({ properties = {}, items }: Schema): number {
  const inner = [...Object.values(properties), ...(items ? [items] : [])]
  return inner.reduce((sum, schema) => sum + 1 + fieldsIn(schema), 0)
}

export function requestTo(operation: DescribedOperation): fc.Arbitrary<FuzzRequest> {
  const { method, path, parameters, requestBody, security } = operation
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  const inHeader = parameters.filter((parameter) => parameter.in === 'header')
  const schema = requestBody?.content['application/json']?.schema
  return fc
    .record({
      query: fc.tuple(
        ...inQuery.map(({ name, required, schema }) => parameter(name, required, valueFor(schema, name))),
      ),
      described: fc.tuple(
        ...inHeader.map(({ name, required, schema }) =>
          parameter(name, required, valueFor(schema, name).map(inOneLine)),
        ),
      ),
      session: security.length > 0 ? sometimes(sessionPlaceholder(), 19) : sometimes(sessionPlaceholder(), 1),
      content: contentFor(schema && valueFor(schema)),
      extra: strayHeaders,
    })
    .map(({ query, described, session, content, extra }) => ({
      method,
      path: path + queryOf(query),
      headers: { ...session, ...content.headers, ...Object.fromEntries(described.flat()), ...extra },
      ...(content.body !== undefined && { body: content.body }),
    }))
}

function parameter<T>(name: string, required: boolean, value: fc.Arbitrary<T>) {
  return sometimes(
    value.map((given) => [name, given] as const),
    required ? 19 : 1,
  ).map((given) => (given ? [given] : []))
}

/** Present this many times as often as absent. */
function sometimes<T>(arbitrary: fc.Arbitrary<T>, often: number): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: often, arbitrary },
  )
}

interface Content {
  headers?: Record<string, string>
  body?: string | Buffer
}

function contentFor(value: fc.Arbitrary<unknown> | undefined): fc.Arbitrary<Content> {
  const json = { 'content-type': 'application/json' }
  const none = fc.constant<Content>({})
  const good = value ? value.map((given): Content => ({ headers: json, body: JSON.stringify(given) ?? '' })) : none
  const bad = fc.oneof(
    nastyBody.map((body): Content => ({ headers: json, body })),
    fc.tuple(nastyType, nastyBody).map(([type, body]): Content => ({ headers: { 'content-type': type }, body })),
    none,
  )
  return fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: bad })
}

const strayHeaders = fc
  .oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(nastyHeader, { maxLength: 3 }) })
  .map((headers): Record<string, string> => Object.fromEntries(headers))

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND']

/** To an existing path with another spelling or method, or to one that does not exist. */
function strayRequest(paths: string[]): fc.Arbitrary<FuzzRequest> {
  const twist = fc.constantFrom<((path: string) => string)[]>(
    ...[
      (path: string) => path,
      (path: string) => `${path}/`,
      (path: string) => `/${path}`,
      (path: string) => `${path}.md`,
    ],
    ...[
      (path: string) => path.toUpperCase(),
      (path: string) => `/${path.slice(1).replaceAll('/', '%2f')}`,
      (path: string) => `${path}%00`,
    ],
    ...[
      (path: string) => `${path}/..`,
      (path: string) => `${path};x=1`,
      (path: string) => `${path}?${'a=b&'.repeat(300)}`,
    ],
    (path: string) => `/.${path}`,
  )
  const near = fc.tuple(fc.constantFrom(...paths), twist).map(([path, change]) => change(path))
  const nowhere = fc.oneof(
    fc.webPath().map((path) => path || '/'),
    fc.constantFrom(...NASTY_TEXTS).map((text) => `/${inUrl(text)}`),
    fc.constantFrom(...NASTY_TEXTS).map((text) => `/api/${inUrl(text)}`),
    fc.stringMatching(/^\/(api|blog|tags|dev|\.well-known)\/[!-~]{1,40}$/).map((path) => path.replaceAll('#', '%23')),
  )
  return fc
    .record({
      method: fc.oneof(
        { weight: 2, arbitrary: fc.constant('GET') },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      path: fc.oneof({ weight: 2, arbitrary: near }, { weight: 1, arbitrary: nowhere }),
      session: sometimes(sessionPlaceholder(), 1),
      content: contentFor(undefined),
      extra: strayHeaders,
    })
    .map(({ method, path, session, content, extra }) => ({
      method,
      path,
      headers: { ...session, ...content.headers, ...extra },
      ...(content.body !== undefined && { body: content.body }),
    }))
}

function queryOf(query: (readonly (readonly [string, unknown])[])[]): string {
  const pairs = query
    .flat()
    .map(([name, value]) => `${name}=${inUrl(typeof value === 'string' ? value : JSON.stringify(value))}`)
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

function inUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function inOneLine(value: unknown): string {
  return String(typeof value === 'object' ? JSON.stringify(value) : value).replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
}
