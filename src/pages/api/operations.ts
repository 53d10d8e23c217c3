import { headingIds } from '../../content/markup/headings.ts'
import { dereference } from '../../http/openapi-references.ts'

/** The keywords of JSON Schema that the descriptions use, and those that this service adds. */
export interface Schema {
  type?: string | string[]
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: string[]
  default?: unknown
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  'x-pattern-words'?: string
  'x-normalise'?: string
  'x-file'?: string
  'x-instead-of'?: string
}

interface Media {
  schema?: Schema
  example?: unknown
}

export interface Response {
  description: string
  headers?: Record<string, { example?: unknown }>
  content?: Record<string, Media>
  'x-error-codes'?: string[]
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: unknown[]
  parameters?: { name: string; in: string; required: boolean; schema: Schema; example?: unknown }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
}

interface Description {
  /** Markdown that precedes the operations. */
  'x-guide'?: string
  /** Markdown with the tables of the error codes. */
  'x-error-guide'?: string
  info: { title: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** One operation of an API. */
export interface Call extends Operation {
  /** The id of its heading. */
  id: string
  method: string
  path: string
  /** A short name for the navigation, such as "Create account". */
  name: string
}

interface CallGroup {
  id: string
  name: string
  description: string
  calls: Call[]
}

interface GuideHeading {
  id: string
  title: string
}

/** An OpenAPI document, arranged as its reference shows it. */
export interface Api {
  title: string
  description: string
  baseUrl: string
  /** Markdown that precedes the operations. */
  guide: string
  guideHeadings: GuideHeading[]
  /** Markdown with the tables of the error codes. */
  errorGuide: string
  groups: CallGroup[]
  errorsId: string
  /** The schema of every error. */
  failure: Schema | undefined
  /** The codes of which the guide to errors has a table. */
  errorCodes: string[]
}

/** Reads an OpenAPI document. The ids are those that the headings of the markdown have. */
export function readApi(document: object, headingsOf: (markdown: string) => GuideHeading[]): Api {
  const { info, servers, tags, paths, components, ...guides } = dereference(document as Description)
  const { 'x-guide': guide = '', 'x-error-guide': errorGuide = '' } = guides
  const idOf = headingIds()
  const guideHeadings = headingsOf(guide)
  for (const { title } of guideHeadings) idOf(title)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    id: idOf(tag.name),
    calls: operations
      .filter(({ tags }) => tags.includes(tag.name))
      .map((call) => ({ ...call, id: idOf(`${call.method} ${call.path}`), name: nameOf(call.operationId) })),
  }))
  return {
    ...info,
    baseUrl: servers[0]?.url ?? '',
    guide,
    guideHeadings,
    errorGuide,
    groups,
    errorsId: idOf('Errors'),
    failure: components.schemas.Error ?? components.schemas.Failure,
    errorCodes: components.schemas.ErrorCode?.enum ?? [],
  }
}

/** Such as "Create account" of createAccount. */
function nameOf(operationId: string): string {
  const words = operationId
    .replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\bjson\b/, 'JSON')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const isSignedIn = ({ security = [] }: Operation) => security.length > 0

/** The response of success, and its status. */
export function successOf({ responses }: Operation): [status: string, response: Response] | undefined {
  return Object.entries(responses).find(([status]) => status < '400')
}

/** The content of a response or request with one media type. */
export function contentOf({ content = {} }: Pick<Response, 'content'>): ({ type: string } & Media) | undefined {
  const [entry] = Object.entries(content)
  return entry && { type: entry[0], ...entry[1] }
}

/** The schema of a successful response: the `data` of the envelope, or the whole body if there is no envelope. */
export function dataOf(call: Operation): Schema | undefined {
  const [, success] = successOf(call) ?? []
  const schema = success && contentOf(success)?.schema
  return schema?.properties?.success ? schema.properties.data : schema
}

/** The codes of an error response. */
export function codesOf(response: Response): string[] {
  return response['x-error-codes'] ?? []
}
