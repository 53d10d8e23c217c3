import { type Item, MAX_ITEM_BYTES, tooLong } from './text-file.ts'

const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/**
 * The lines of a file as bytes, without their line feeds and a byte order mark of the file. A line that is too long
 * ends the reading with a fault.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Item<Buffer>> {
  let line = 1
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    let begin = 0
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, begin)
      const part = chunk.subarray(begin, end < 0 ? chunk.length : end)
      length += part.length
      if (length > MAX_ITEM_BYTES) throw tooLong(line)
      parts.push(part)
      if (end < 0) break
      yield { line, value: lineOf(parts, line) }
      line += 1
      parts = []
      length = 0
      begin = end + 1
    }
  }
  if (length > 0) yield { line, value: lineOf(parts, line) }
}

function lineOf(parts: Buffer[], line: number): Buffer {
  const bytes = Buffer.concat(parts)
  const isMarked = line === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
}
