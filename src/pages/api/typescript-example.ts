import type { ExampleHeader, ExampleRequest } from './example-request.ts'

/** A request as TypeScript with `fetch`, for a browser, Node, Deno and Bun. */
export function typescriptExample(request: ExampleRequest): string {
  const { url, files, isRedirected, result } = request
  // `fetch` cannot leave the page. A browser must open the address.
  if (isRedirected) return `location.assign(${literal(url)})`
  const options = optionsOf(request)
  return [
    ...(files.length > 0 ? ['const form = new FormData()'] : []),
    ...files.map((name) => `form.append(${literal(name)}, ${name})`),
    `const response = await fetch(${literal(url)}${options ? `, ${options}` : ''})`,
    RESULTS[result],
  ].join('\n')
}

const RESULTS = {
  data: 'const { data } = await response.json()',
  message: 'const { message } = await response.json()',
  json: 'const body = await response.json()',
  text: 'const text = await response.text()',
}

function optionsOf({ method, headers, json, files }: ExampleRequest): string | undefined {
  const options = [
    method !== 'GET' && `method: '${method}'`,
    headers.length > 0 && `headers: ${block(headers.map((header) => `${key(header.name)}: ${headerValue(header)}`))}`,
    json !== undefined && `body: JSON.stringify(${literal(json)})`,
    files.length > 0 && 'body: form',
  ].filter((option) => typeof option === 'string')
  return options.length > 0 ? block(options) : undefined
}

function headerValue({ text = '', variable }: ExampleHeader): string {
  if (!variable) return literal(text)
  return text ? `\`${text}\${${variable}}\`` : variable
}

/** A JSON value as an expression. */
function literal(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return block(Object.entries(value).map(([name, part]) => `${key(name)}: ${literal(part)}`))
}

const key = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`)

/** Braces around lines, which are indented by one step more. */
function block(lines: string[]): string {
  return `{\n${lines.map((line) => `  ${line.replaceAll('\n', '\n  ')},\n`).join('')}}`
}
