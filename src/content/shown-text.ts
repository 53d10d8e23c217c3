import type { ContentFault } from './fault.ts'
import { commentsIn, textWithout } from './text-comments.ts'
import type { YamlFields } from './yaml-fields.ts'

/** A text of the front matter that pages show, without HTML comments. Undefined if it is absent or empty. */
export function readShownText(
  fields: YamlFields,
  name: string,
  note: (fault: ContentFault) => void,
): string | undefined {
  const text = fields.text(name)
  if (text === undefined) return undefined
  const comments = commentsIn(text)
  if (comments.length === 0) return text
  note(fields.fault(name, `"${name}" has an HTML comment, which is not published: in front matter, " #" begins one`))
  return textWithout(comments, text).trim() || undefined
}
