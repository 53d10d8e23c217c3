import { createHighlighter } from '../../src/content/highlight.ts'
import { createRenderer } from '../../src/content/markdown.ts'

const highlighter = await createHighlighter({ read: async () => ({}), write: async () => {} })

/** Renders markdown with code that is not highlighted. */
export const render = createRenderer(highlighter)

export function htmlOf(markdown: string): string {
  return render(markdown).html
}

/** The problems of a text, with their line numbers. */
export function problemsOf(markdown: string): string[] {
  return render(markdown).problems.map(({ line, problem }) => `${line}: ${problem}`)
}
