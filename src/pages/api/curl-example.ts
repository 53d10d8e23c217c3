import type { ExampleHeader, ExampleRequest } from './example-request.ts'

/**
 * A request as a command for a POSIX shell. The tokens are in variables, which the worked example of the guide sets.
 */
export function curlExample({ method, url, headers, json, files, isRedirected }: ExampleRequest): string {
  // `-d` and `-F` imply POST.
  const implied = json || files.length > 0 ? 'POST' : 'GET'
  const command = ['curl', isRedirected && '-i', method !== implied && `-X ${method}`, quoted(url)]
  return [
    command.filter(Boolean).join(' '),
    ...headers.map((header) => `-H ${headerText(header)}`),
    ...(json ? [`-d ${inSingleQuotes(JSON.stringify(json, null, 2).replaceAll('\n', '\n  '))}`] : []),
    ...files.map((name) => `-F ${name}=@picture.png`),
  ].join(' \\\n  ')
}

const VARIABLES = { accessToken: '$ACCESS_TOKEN', sessionId: '$SESSION_ID' }

function headerText({ name, text = '', variable }: ExampleHeader): string {
  return variable ? `"${name}: ${text}${VARIABLES[variable]}"` : inSingleQuotes(`${name}: ${text}`)
}

function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : inSingleQuotes(text)
}

function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
