import type { Request } from './connection.ts'

/** The tokens in a response. */
export function tokensIn(body: string, paths: Record<string, string>): Record<string, string> {
  const response = JSON.parse(body)
  const found = Object.entries(paths).map(([name, path]) => [name, valueAt(response, path)] as const)
  return Object.fromEntries(found.filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string'))
}

function valueAt(response: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value: unknown, key) => (value as Record<string, unknown> | undefined)?.[key], response)
}

/** Tokens are base64url and need no encoding in a header, in JSON or in a form. */
export function withTokens(request: Request, tokens: Record<string, string>): Request {
  const put = (text: string) => text.replace(/<(\w+)>/g, (_, name: string) => tokens[name] ?? '')
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name, put(value)])
  return { ...request, headers: Object.fromEntries(headers), body: put(request.body ?? '') }
}
