import { type BodyParser, inspect, BODY_LIMIT as TEXT_LIMIT } from './body.ts'
import { bodyTooLarge, invalid, Refusal } from './refusal.ts'

const FILE_LIMIT = 5 * 1024 * 1024
// Room for the boundaries and the names of fields around a file.
const BODY_LIMIT = FILE_LIMIT + 16 * 1024
// No form of ours has more, and the parser knows no limits: a body of tiny parts would keep it busy for seconds.
const MAX_PARTS = 16
const MAX_HEADER_BYTES = 4096
// RFC 2046, section 5.1.1.
const MAX_BOUNDARY_CHARACTERS = 70

/** A field without a file in it, as browsers send it, is left out. */
export const files: BodyParser = {
  type: 'multipart/form-data',
  limit: BODY_LIMIT,
  async parse(raw, contentType) {
    const fields: Record<string, string | Uint8Array> = Object.create(null)
    for (const [name, value] of await parse(raw, contentType)) {
      if (typeof value === 'string' && value.length > TEXT_LIMIT) throw new Refusal(bodyTooLarge)
      if (typeof value === 'string') fields[name] = value
      else if (value.size > FILE_LIMIT) throw new Refusal(bodyTooLarge)
      else if (value.size > 0) fields[name] = await value.bytes()
    }
    inspect(fields, 1)
    return fields
  },
}

async function parse(raw: Buffer, type: string): Promise<FormData> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(type) ?? []
  const boundary = quoted ?? plain ?? ''
  if (boundary.length > MAX_BOUNDARY_CHARACTERS) throw invalid('body', 'The boundary of the form is too long')
  if (boundary && !isModest(raw, `--${boundary}`)) throw invalid('body', 'The form has too many or too large parts')
  try {
    // Under the boundary that was looked for, and no other that the header may have beside it.
    const headers = { 'Content-Type': `multipart/form-data; boundary="${boundary}"` }
    return await new Response(raw, { headers }).formData()
  } catch {
    throw invalid('body', 'The request body must be multipart/form-data as its header says')
  }
}

function isModest(raw: Buffer, delimiter: string): boolean {
  let at = raw.indexOf(delimiter)
  for (let parts = 0; at >= 0; parts++) {
    const body = raw.indexOf('\r\n\r\n', at)
    const header = (body < 0 ? raw.length : body) - at
    if (parts > MAX_PARTS || header > MAX_HEADER_BYTES) return false
    at = body < 0 ? -1 : raw.indexOf(delimiter, body)
  }
  return true
}
