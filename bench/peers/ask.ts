import type { Request } from '../load/connection.ts'

const RESPONSE_LIMIT_MS = 60_000

/** Sends one request outside of the measurement. A response other than 2xx is an error. */
export async function ask(url: string, { method = 'GET', path, headers = {}, body }: Request): Promise<Response> {
  const signal = AbortSignal.timeout(RESPONSE_LIMIT_MS)
  const response = await fetch(url + path, { method, headers, signal, ...(body !== undefined && { body }) })
  if (!response.ok)
    throw new Error(`${path} responded with ${response.status}: ${(await response.text()).slice(0, 200)}`)
  return response
}
