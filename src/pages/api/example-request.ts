import { type Call, contentOf, isSignedIn, type Response, successOf } from './operations.ts'

/** A header of a request. Its value is a text, a variable, or a text followed by a variable. */
export interface ExampleHeader {
  name: string
  text?: string
  variable?: 'accessToken' | 'sessionId'
}

/** A request with the example values of the description. */
export interface ExampleRequest {
  method: string
  url: string
  headers: ExampleHeader[]
  /** The body, if it is JSON. */
  json?: unknown
  /** The names of the files of a form. */
  files: string[]
  /** Whether the only success is a redirection, which a browser follows. */
  isRedirected: boolean
  /** The part of the response that the program reads: the data or the message of the envelope, other JSON, or text. */
  result: 'data' | 'message' | 'json' | 'text'
}

/** The request of a call, with the example values of its description. */
export function requestOf(call: Call, baseUrl: string): ExampleRequest {
  const { method, path, parameters = [], requestBody, responses } = call
  const body = requestBody && contentOf(requestBody)
  const isJson = body?.type === 'application/json'
  // A parameter that replaces another one is not sent with it.
  const query = parameters.filter(({ in: place, schema }) => place === 'query' && !schema['x-instead-of'])
  const hasSessionHeader = parameters.some(({ name }) => name === 'x-session-id')
  return {
    method,
    url: `${baseUrl}${path}${query.length > 0 ? `?${queryString(query)}` : ''}`,
    headers: [
      ...(isSignedIn(call) ? [{ name: 'Authorization', text: 'Bearer ', variable: 'accessToken' } as const] : []),
      ...(isSignedIn(call) || hasSessionHeader ? [{ name: 'X-Session-Id', variable: 'sessionId' } as const] : []),
      ...(isJson ? [{ name: 'Content-Type', text: 'application/json' }] : []),
      // A call with both responses sends a browser on, and a program the data.
      ...(responses[200] && responses[302] ? [{ name: 'Accept', text: 'application/json' }] : []),
    ],
    ...(isJson && { json: body.example }),
    files: body && !isJson ? Object.keys(body.schema?.properties ?? {}) : [],
    isRedirected: successOf(call)?.[0] === '302',
    result: resultOf(successOf(call)?.[1]),
  }
}

function queryString(parameters: { name: string; example?: unknown }[]): string {
  const pairs = parameters.map(({ name, example }) => [name, String(example)])
  return String(new URLSearchParams(pairs)).replaceAll('%2F', '/')
}

function resultOf(success: Response | undefined): ExampleRequest['result'] {
  const { type = '', schema } = (success && contentOf(success)) ?? {}
  if (schema?.properties?.success) return schema.properties.data ? 'data' : 'message'
  return type.endsWith('json') ? 'json' : 'text'
}
