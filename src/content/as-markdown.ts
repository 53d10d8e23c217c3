/** Escapes a plain text as one line of markdown. */
export function asMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\[\]<`]/g, '\\$&')
}
