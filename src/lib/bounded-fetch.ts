const MAX_RESPONSE_BYTES = 1024 * 1024

/**
 * `fetch` for servers of third parties: reading a body of more than 1 MiB fails. The limit counts decompressed bytes.
 */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  return new Response(response.body?.pipeThrough(limitBytes(MAX_RESPONSE_BYTES)) ?? null, response)
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
