import { STATUS_CODES } from '../../http/node-http.ts'
import { curlExample } from './curl-example.ts'
import { requestOf } from './example-request.ts'
import { type Call, contentOf, successOf } from './operations.ts'
import { typescriptExample } from './typescript-example.ts'

export interface Example {
  curl: string
  typescript: string
  response: { status: string; code: string; language: 'json' | 'http' | 'text' }
}

export function exampleOf(call: Call, baseUrl: string): Example {
  const request = requestOf(call, baseUrl)
  return { curl: curlExample(request), typescript: typescriptExample(request), response: responseOf(call) }
}

function responseOf(call: Call): Example['response'] {
  const [status = '', response] = successOf(call) ?? []
  const { type = '', example = '' } = (response && contentOf(response)) ?? {}
  const label = `${status} ${STATUS_CODES[status] ?? ''}`
  if (type.endsWith('json')) return { status: label, code: JSON.stringify(example, null, 2), language: 'json' }
  if (type) return { status: label, code: String(example), language: 'text' }
  return { status: label, code: `Location: ${response?.headers?.Location?.example ?? ''}`, language: 'http' }
}
