import { createReadStream } from 'node:fs'

/** A fault of the file as a whole. Its message is complete for the operator. */
export class FileFault extends Error {}

/** A line, a row or an element may have this length. The data of a person is a few kB at most. */
export const MAX_ITEM_BYTES = 1024 * 1024

/** One item of a file: the text of a line, a row or an element, and the line at which it begins. */
export interface Item<Value> {
  line: number
  value: Value
}

/** Reads a file in chunks. `onRead` gets the number of bytes that were read. */
export async function* chunksOf(path: string, onRead: (bytes: number) => void = () => {}): AsyncGenerator<Buffer> {
  let read = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    read += chunk.length
    onRead(read)
    yield chunk
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Decodes UTF-8 without replacing anything. Undefined if the bytes are not UTF-8. */
export function decoded(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

export function tooLong(line: number): FileFault {
  return new FileFault(`Line ${line} is longer than ${MAX_ITEM_BYTES} bytes. Nothing from there on was read.`)
}
