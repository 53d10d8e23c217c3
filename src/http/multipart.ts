import type { FastifyInstance, FastifyRequest } from 'fastify'
import { inspect } from './body.ts'
import { invalid } from './refusal.ts'

const FILE_LIMIT = 5 * 1024 * 1024
// Room for the boundaries and the names of fields around a file.
const BODY_LIMIT = FILE_LIMIT + 16 * 1024

/** Lets the routes of this scope take files. A field without a file in it, as browsers send it, is left out. */
export function acceptFiles(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    async (request: FastifyRequest, raw: Buffer) => {
      const fields: Record<string, string | Uint8Array> = Object.create(null)
      for (const [name, value] of await parse(raw, request.headers['content-type'] ?? '')) {
        if (typeof value === 'string') fields[name] = value
        else if (value.size > 0) fields[name] = await value.bytes()
      }
      inspect(fields, 1)
      return fields
    },
  )
}

async function parse(raw: Buffer, type: string): Promise<FormData> {
  try {
    return await new Response(raw, { headers: { 'Content-Type': type } }).formData()
  } catch {
    throw invalid('body', 'The request body must be multipart/form-data as its header says')
  }
}
