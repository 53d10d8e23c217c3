import { createHighlighterCore, type HighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { bundledLanguages } from 'shiki/langs'
import { escapeHtml } from '../escape-html.ts'

export interface Highlighter {
  /** Loads the languages that these texts have code in; others stay plain. */
  prepareFor(markdown: string[]): Promise<void>
  toHtml(code: string, language: string): string
  /** The colours used so far, as a style sheet: our pages allow no inline styles. */
  css(): string
}

export function createHighlighter(): Highlighter {
  let shiki: HighlighterCore | undefined
  const classes = new Map<string, string>()

  function classFor(light: string, dark: string): string {
    const rule = `color:light-dark(${light},${dark})`
    const name = classes.get(rule) ?? `c${classes.size}`
    classes.set(rule, name)
    return name
  }

  return {
    async prepareFor(markdown) {
      const wanted = new Set(
        markdown.flatMap((text) =>
          [...text.matchAll(/^ {0,3}(?:`{3,}|~{3,})\s*([\w+#-]+)/gm)].map(([, name]) => name ?? ''),
        ),
      )
      const languages = [...wanted].filter((name) => name in bundledLanguages) as (keyof typeof bundledLanguages)[]
      if (languages.length === 0) return
      shiki ??= await createHighlighterCore({
        themes: [import('@shikijs/themes/github-light-default'), import('@shikijs/themes/github-dark-default')],
        langs: [],
        engine: createJavaScriptRegexEngine({ forgiving: true }),
      })
      await shiki.loadLanguage(...languages.map((name) => bundledLanguages[name]))
    },
    toHtml(code, language) {
      const isKnown = shiki?.getLoadedLanguages().includes(language)
      const inner = shiki && isKnown ? paint(shiki, code, language, classFor) : escapeHtml(code)
      const label = language ? ` data-language="${escapeHtml(language)}"` : ''
      return `<pre tabindex="0"${label}><code>${inner}</code></pre>\n`
    },
    css: () => [...classes].map(([rule, name]) => `.${name}{${rule}}`).join(''),
  }
}

function paint(
  shiki: HighlighterCore,
  code: string,
  lang: string,
  classFor: (light: string, dark: string) => string,
): string {
  const themes = { light: 'github-light-default', dark: 'github-dark-default' }
  const { tokens } = shiki.codeToTokens(code.replace(/\n$/, ''), { lang, themes, defaultColor: false })
  return tokens
    .map((line) =>
      line
        .map(({ content, htmlStyle }) => {
          const { '--shiki-light': light, '--shiki-dark': dark } = (htmlStyle ?? {}) as Record<string, string>
          const text = escapeHtml(content)
          return light && dark && content.trim() ? `<span class="${classFor(light, dark)}">${text}</span>` : text
        })
        .join(''),
    )
    .join('\n')
}
