import type { DocumentRenderer } from '../content/document-renderer.ts'
import type { Highlighter } from '../content/highlight.ts'
import { createRenderer, type Rendered, renderedHtml } from '../content/markdown.ts'
import { type ApiDescriptions, apiDocs } from '../pages/api/api-docs.ts'
import type { SitePage } from '../pages/site-pages.ts'

interface Options {
  renderer: Pick<DocumentRenderer, 'render'>
  highlighter: Highlighter
  descriptions: ApiDescriptions
  /** Called when a page has code that is not highlighted yet. That code is plain. */
  onMissing(): void
}

/** Renders documents and the pages of the API descriptions, with highlighted code. */
export function createHighlightingRenderer({ renderer, highlighter, descriptions, onMissing }: Options) {
  let apiPages: Promise<SitePage[]> | undefined

  function highlighted(rendered: Rendered) {
    const html = renderedHtml(rendered, ({ code, language, style }) => highlighter.toHtml(code, language, style))
    if (highlighter.hasMissing()) onMissing()
    return { ...rendered, html }
  }

  return {
    render: async (markdown: string) => highlighted(await renderer.render(markdown)),
    /** The pages of the API descriptions. They are kept until `forgetApiPages`. */
    apiPages(): Promise<SitePage[]> {
      if (apiPages) return apiPages
      const renderGuide = createRenderer()
      apiPages = apiDocs(descriptions, (markdown) => highlighted(renderGuide(markdown)))
      return apiPages
    },
    forgetApiPages(): void {
      apiPages = undefined
    },
  }
}
