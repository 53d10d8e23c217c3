/** A plain text as markdown that says just that, in one line. */
export function asMarkdown(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\[\]<]/g, '\\$&')
}
