import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface PlainAnswer {
  status: number
  headers: Headers
  body: Buffer
}

/** A request with these headers and no others: fetch() adds its own Accept and Accept-Encoding, and decodes the body. */
export function ask(
  { url }: { url: string },
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<PlainAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PlainAnswer>()
  const { hostname, port } = new URL(url)
  // The path is sent as it stands, without being tidied up.
  const asking = request({ hostname, port, path, method, headers }, (response) => {
    const received = new Headers(response.headers as Record<string, string>)
    buffer(response).then((body) => resolve({ status: response.statusCode ?? 0, headers: received, body }), reject)
  })
  asking.on('error', reject).end()
  return promise
}

/** The names in a Vary header, sorted. */
export function variesBy(headers: Headers): string[] {
  const names = (headers.get('vary') ?? '').toLowerCase().split(/\s*,\s*/)
  return names.filter(Boolean).sort()
}
