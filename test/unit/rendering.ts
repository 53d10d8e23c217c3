import { codeHtml } from '../../src/content/code-block.ts'
import { createRenderer, renderedHtml, renderedMarkdown } from '../../src/content/markdown.ts'

const renderParts = createRenderer()

/** Renders markdown with code that is not highlighted. */
export function render(source: string) {
  const rendered = renderParts(source)
  const html = renderedHtml(rendered, ({ code, language, style }) => codeHtml(code, language, undefined, style))
  const toMarkdown = (write: (address: string) => string | undefined) => renderedMarkdown(rendered, write)
  return { ...rendered, html, toMarkdown }
}

export function htmlOf(markdown: string): string {
  return render(markdown).html
}

/** The problems of a text, with their line numbers. */
export function problemsOf(markdown: string): string[] {
  return render(markdown).problems.map(({ line, problem }) => `${line}: ${problem}`)
}
