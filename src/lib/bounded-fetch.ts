const MAX_RESPONSE_BYTES = 1024 * 1024

// The errors of undici and of the system when the connection was closed before the response.
const CLOSED_CONNECTION_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

/**
 * `fetch` for servers of third parties: reading a body of more than 1 MiB fails. The limit counts decompressed bytes.
 * A GET is sent once more if the connection was closed before its response. Servers close idle connections, and may do
 * so just when the next request is sent (RFC 9112, section 9.3.1).
 */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetchAgainIfClosed(url, options)
  return new Response(response.body?.pipeThrough(limitBytes(MAX_RESPONSE_BYTES)) ?? null, response)
}

async function fetchAgainIfClosed(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options)
  } catch (error) {
    const { code = '' } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
    const isGet = (options.method ?? 'GET') === 'GET'
    if (!isGet || !CLOSED_CONNECTION_CODES.has(code)) throw error
    return fetch(url, options)
  }
}

function limitBytes(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length
      if (size > maxBytes) controller.error(new ResponseTooLarge())
      else controller.enqueue(chunk)
    },
  })
}

class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge'
}
