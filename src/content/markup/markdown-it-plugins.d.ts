// These packages have no types of their own.
declare module 'markdown-it-deflist' {
  import type { MarkdownIt } from 'markdown-it'
  export default function deflist(md: MarkdownIt): void
}
declare module 'markdown-it-mark' {
  import type { MarkdownIt } from 'markdown-it'
  export default function mark(md: MarkdownIt): void
}
