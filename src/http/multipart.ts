import { type BodyParser, checkStructure, MAX_BODY_BYTES as MAX_FIELD_CHARACTERS } from './body.ts'
import { bodyTooLarge, invalid, Refusal } from './refusal.ts'

const MAX_FILE_BYTES = 5 * 1024 * 1024
// Includes room for the boundaries and the part headers around a file.
const MAX_MULTIPART_BYTES = MAX_FILE_BYTES + 16 * 1024
// No form of the site has more parts. The parser of Node has no limits: it would take seconds for a body of tiny parts.
const MAX_PARTS = 16
const MAX_PART_HEADER_BYTES = 4096
// RFC 2046, section 5.1.1.
const MAX_BOUNDARY_CHARACTERS = 70

/**
 * The parser of multipart/form-data. It leaves out an empty file, which browsers send for a file field without a file.
 */
export const files: BodyParser = {
  type: 'multipart/form-data',
  maxBytes: MAX_MULTIPART_BYTES,
  async parse(raw, contentType) {
    const fields: Record<string, string | Uint8Array> = Object.create(null)
    for (const [name, value] of await parse(raw, contentType)) {
      if (typeof value === 'string' && value.length > MAX_FIELD_CHARACTERS) throw new Refusal(bodyTooLarge)
      if (typeof value === 'string') fields[name] = value
      else if (value.size > MAX_FILE_BYTES) throw new Refusal(bodyTooLarge)
      else if (value.size > 0) fields[name] = await value.bytes()
    }
    checkStructure(fields, 1)
    return fields
  },
}

async function parse(raw: Buffer, type: string): Promise<FormData> {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i.exec(type) ?? []
  const boundary = quoted ?? plain ?? ''
  if (boundary.length > MAX_BOUNDARY_CHARACTERS)
    throw invalid('body', 'too_long', 'The boundary of the form is too long')
  if (boundary && !isWithinLimits(raw, `--${boundary}`))
    throw invalid('body', 'too_many', 'The form has too many or too large parts')
  try {
    // The parser gets the boundary that was checked above. The original header may name a second one.
    const headers = { 'Content-Type': `multipart/form-data; boundary="${boundary}"` }
    return await new Response(raw, { headers }).formData()
  } catch {
    throw invalid('body', 'invalid_format', 'The request body must be multipart/form-data as its header says')
  }
}

/** Whether the number of parts and the size of their headers are within the limits. */
function isWithinLimits(raw: Buffer, delimiter: string): boolean {
  let at = raw.indexOf(delimiter)
  for (let parts = 0; at >= 0; parts++) {
    const body = raw.indexOf('\r\n\r\n', at)
    const header = (body < 0 ? raw.length : body) - at
    if (parts > MAX_PARTS || header > MAX_PART_HEADER_BYTES) return false
    at = body < 0 ? -1 : raw.indexOf(delimiter, body)
  }
  return true
}
