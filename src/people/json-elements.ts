import { FileFault, type Item, MAX_ITEM_BYTES, tooLong } from './text-file.ts'

const [QUOTE, BACKSLASH, LINE_FEED] = [0x22, 0x5c, 0x0a]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** An object of an array, as bytes. `list` is the name of the array: that of the property, or empty. */
export interface Element extends Item<Buffer> {
  list: string
}

/**
 * The objects in the arrays of a JSON file, one at a time: those of `[…]`, or those of the arrays in `{"users": […]}`.
 * Only the structure is read here. Whether an element is valid JSON shows when it is parsed.
 */
export async function* elementsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Element> {
  let line = 1
  let depth = 0
  /** The depth at which an object is an element: inside the outer array, or inside an array of the outer object. */
  let elementDepth = 0
  let isInString = false
  let isEscaped = false
  let list = ''
  let text: number[] = []
  let element: { line: number; parts: Buffer[]; length: number } | undefined
  for await (const chunk of chunks) {
    let begin = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (byte === LINE_FEED) line += 1
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) {
          isInString = false
          if (depth === 1) list = Buffer.from(text).toString()
        }
        if (isInString && depth === 1 && text.push(byte) > MAX_ITEM_BYTES) throw tooLong(line)
      } else if (byte === QUOTE) {
        isInString = true
        text = []
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        if (depth === 0) elementDepth = byte === OPEN_ARRAY ? 1 : 2
        if (byte === OPEN_OBJECT && depth === elementDepth && depth > 0) {
          element = { line, parts: [], length: 0 }
          begin = at
        }
        depth += 1
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        depth -= 1
        if (depth < 0) throw new FileFault(`The file is not valid JSON: unexpected end of a list in line ${line}.`)
        if (element && depth === elementDepth) {
          const value = Buffer.concat([...element.parts, chunk.subarray(begin, at + 1)])
          if (value.length > MAX_ITEM_BYTES) throw tooLong(element.line)
          yield { line: element.line, list: elementDepth === 1 ? '' : list, value }
          element = undefined
        }
      }
    }
    if (!element) continue
    const part = chunk.subarray(begin)
    element.length += part.length
    if (element.length > MAX_ITEM_BYTES) throw tooLong(element.line)
    element.parts.push(part)
  }
  if (depth > 0) throw new FileFault(`The file is not valid JSON: it ends in the middle of a list, in line ${line}.`)
}
