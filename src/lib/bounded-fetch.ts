const MAX_BYTES = 1024 * 1024

/** As fetch, for servers that are not ours: reading an answer of more than a megabyte fails, however it is packed. */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options)
  return new Response(response.body?.pipeThrough(atMost(MAX_BYTES)) ?? null, response)
}

function atMost(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length
      if (size > limit) controller.error(new AnswerTooLarge())
      else controller.enqueue(chunk)
    },
  })
}

class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge'
}
