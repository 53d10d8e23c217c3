import { type BodyParser, checkStructure, MAX_BODY_BYTES as MAX_FIELD_BYTES, strictUtf8 } from './body.ts'
import { bodyTooLarge, invalid, Refusal } from './refusal.ts'

const MAX_FILE_BYTES = 5 * 1024 * 1024
// Includes room for the boundaries and the part headers around a file.
const MAX_MULTIPART_BYTES = MAX_FILE_BYTES + 16 * 1024
// No form of the site has more parts.
const MAX_PARTS = 16
const MAX_PART_HEADERS_BYTES = 4096
// RFC 2046, section 5.1.1.
const MAX_BOUNDARY_CHARACTERS = 70

const CRLF = '\r\n'
const BOUNDARY = /;\s*boundary=(?:"([^"]*)"|([^\s;"]+))/i
// RFC 7578, section 4.2. Browsers percent-encode a quotation mark in a name, and others put a backslash before it.
const DISPOSITION = /^content-disposition:[ \t]*form-data[ \t]*((?:;.*)?)$/im
const PARAMETER = /[ \t]*;[ \t]*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/gy

type Fields = Record<string, string | Uint8Array>

/** The parser of multipart/form-data (RFC 7578). The last of two fields with the same name wins. */
export const multipartParser: BodyParser = {
  type: 'multipart/form-data',
  maxBytes: MAX_MULTIPART_BYTES,
  parse(raw, contentType) {
    const fields = parse(raw, boundaryIn(contentType))
    checkStructure(fields, 1)
    return fields
  },
}

function boundaryIn(contentType: string): string {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? plain ?? ''
  if (boundary === '') throw malformed()
  if (boundary.length > MAX_BOUNDARY_CHARACTERS) {
    throw invalid('body', 'too_long', 'The boundary of the form is too long')
  }
  return boundary
}

/** Reads the parts from the first delimiter to the closing one. Text before and after them is ignored. */
function parse(raw: Buffer, boundary: string): Fields {
  const fields: Fields = Object.create(null)
  const delimiter = `${CRLF}--${boundary}`
  // The first delimiter may stand at the start of the body, without a line break before it.
  const isAtStart = startsWith(raw, 0, `--${boundary}`)
  let at = (isAtStart ? 0 : indexOf(raw, delimiter, 0) + CRLF.length) + `--${boundary}`.length
  for (let parts = 0; !startsWith(raw, at, '--'); parts++) {
    if (parts === MAX_PARTS) throw tooMany()
    if (!startsWith(raw, at, CRLF)) throw malformed()
    const contentAt = endOfHeaders(raw, at)
    const end = indexOf(raw, delimiter, contentAt)
    addField(fields, raw.toString('utf8', at, contentAt), raw.subarray(contentAt, end))
    at = end + delimiter.length
  }
  return fields
}

/** The index behind the empty line that ends the headers of a part. `at` is the end of the line before the headers. */
function endOfHeaders(raw: Buffer, at: number): number {
  const length = raw.subarray(at, at + MAX_PART_HEADERS_BYTES).indexOf(CRLF + CRLF)
  if (length < 0) throw at + MAX_PART_HEADERS_BYTES < raw.length ? tooMany() : malformed()
  return at + length + 2 * CRLF.length
}

/** A part with a file name is a file. Browsers send an empty file for a file field without a file: it is left out. */
function addField(fields: Fields, headers: string, content: Buffer): void {
  const { name, filename } = parametersIn(DISPOSITION.exec(headers)?.[1] ?? '')
  if (name === undefined) throw malformed()
  const isFile = filename !== undefined
  if (content.length > (isFile ? MAX_FILE_BYTES : MAX_FIELD_BYTES)) throw new Refusal(bodyTooLarge)
  if (!isFile) fields[name] = decode(content)
  else if (content.length > 0) fields[name] = content
}

function parametersIn(text: string): Record<string, string> {
  const parameters: Record<string, string> = Object.create(null)
  for (const [, name = '', quoted, plain] of text.matchAll(PARAMETER)) {
    parameters[name.toLowerCase()] = quoted ?? plain ?? ''
  }
  return parameters
}

function decode(content: Buffer): string {
  try {
    return strictUtf8.decode(content)
  } catch {
    throw malformed()
  }
}

function startsWith(raw: Buffer, at: number, text: string): boolean {
  return raw.toString('latin1', at, at + text.length) === text
}

function indexOf(raw: Buffer, text: string, from: number): number {
  const at = raw.indexOf(text, from, 'latin1')
  if (at < 0) throw malformed()
  return at
}

function tooMany(): Refusal {
  return invalid('body', 'too_many', 'The form has too many or too large parts')
}

function malformed(): Refusal {
  return invalid('body', 'invalid_format', 'The request body must be multipart/form-data as its header says')
}
