/** The header of the forms below. */
export const WIRE_FORM = { 'content-type': 'multipart/form-data; boundary=b' }

/** A form as it stands on the wire, its parts between boundaries called b. */
export function wireForm(...parts: (Buffer | string)[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap((part) => [text('--b\r\n'), Buffer.from(part), text('\r\n')]),
    text('--b--\r\n'),
  ])
}

export const FILE_PART = 'Content-Disposition: form-data; name="file"; filename="me.png"\r\nContent-Type: image/png\r\n'

export const filePart = (file: Buffer) => Buffer.concat([text(`${FILE_PART}\r\n`), file])

const text = (words: string) => Buffer.from(words)
