/**
 * The same text as one flat string. V8 keeps a concatenation as a tree of its parts, and would copy each part wherever
 * the text is used. The text must be well-formed (no lone surrogates).
 */
export function flatString(text: string): string {
  return Buffer.from(text).toString()
}
