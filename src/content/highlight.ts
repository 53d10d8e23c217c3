import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { escapeHtml } from '../lib/escape-html.ts'

/** Code as lines of pieces, each with its colour on light and on dark ground; null for a language we do not know. */
export type Painted = [text: string, light: string, dark: string][][] | null

/** Where painted code outlives a restart: painting is slow, and the same code always looks the same. */
export interface PaintedCode {
  read(): Promise<Record<string, Painted>>
  write(painted: Record<string, Painted>): Promise<void>
}

export interface Highlighter {
  /** In colour where the code has been painted before, else plain. */
  toHtml(code: string, language: string): string
  /** Paints what was asked for and is still plain. Tells whether anything looks different now. */
  paintMissing(): Promise<boolean>
  /** The colours in use, as a style sheet: our pages allow no inline styles. */
  css(): string
}

export async function createHighlighter(kept: PaintedCode): Promise<Highlighter> {
  const painted = new Map(Object.entries(await kept.read()))
  const missing = new Map<string, { code: string; language: string }>()
  const used = new Set<string>()
  const classes = new Map<string, string>()
  let painting: Promise<boolean> | undefined

  function classFor(light: string, dark: string): string {
    const rule = `color:light-dark(${light},${dark})`
    const name = classes.get(rule) ?? `c${classes.size}`
    classes.set(rule, name)
    return name
  }

  function inColour(lines: NonNullable<Painted>): string {
    const piece = ([text, light, dark]: [string, string, string]) =>
      text.trim() ? `<span class="${classFor(light, dark)}">${escapeHtml(text)}</span>` : escapeHtml(text)
    return lines.map((line) => line.map(piece).join('')).join('\n')
  }

  async function paintAll(): Promise<boolean> {
    if (missing.size === 0) return false
    using painter = await createPainter()
    for (const [key, { code, language }] of missing) {
      painted.set(key, await painter.paint(code, language))
      // Requests that came meanwhile go first.
      await setImmediate()
    }
    missing.clear()
    for (const key of painted.keys()) if (!used.has(key)) painted.delete(key)
    // Everything is asked for again, now that it looks different.
    used.clear()
    await kept.write(Object.fromEntries(painted))
    return true
  }

  return {
    toHtml(code, language) {
      const key = keyOf(code, language)
      const lines = painted.get(key)
      used.add(key)
      if (language && lines === undefined) missing.set(key, { code, language })
      const label = language ? ` data-language="${escapeHtml(language)}"` : ''
      return `<pre tabindex="0"${label}><code>${lines ? inColour(lines) : escapeHtml(code)}</code></pre>\n`
    },
    // One at a time: who comes meanwhile waits for the same.
    paintMissing() {
      painting ??= paintAll().finally(() => {
        painting = undefined
      })
      return painting
    },
    css: () => [...classes].map(([rule, name]) => `.${name}{${rule}}`).join(''),
  }
}

function keyOf(code: string, language: string): string {
  return createHash('sha256')
    .update(JSON.stringify([PAINT, language, code]))
    .digest('base64url')
    .slice(0, 22)
}

// To be counted up when code would be painted differently: what was kept is then painted anew.
const PAINT = 2

// Painting takes much longer than reading; what nobody wrote by hand stays plain.
const MAX_CODE_CHARACTERS = 50_000
const MAX_LINE_CHARACTERS = 2000
const hasLongLine = (code: string) => code.split('\n').some(({ length }) => length >= MAX_LINE_CHARACTERS)
const THEMES = { light: 'github-light-default', dark: 'github-dark-default' }

/** Imported only when there is something to paint: most starts find all of it painted already. */
async function createPainter(): Promise<{ paint(code: string, language: string): Promise<Painted> } & Disposable> {
  const [{ createHighlighterCore }, { createJavaScriptRegexEngine }, { bundledLanguages }] = await Promise.all([
    import('shiki/core'),
    import('shiki/engine/javascript'),
    import('shiki/langs'),
  ])
  const shiki = await createHighlighterCore({
    themes: [import('@shikijs/themes/github-light-default'), import('@shikijs/themes/github-dark-default')],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  return { paint, [Symbol.dispose]: () => shiki.dispose() }

  async function paint(code: string, language: string): Promise<Painted> {
    if (!Object.hasOwn(bundledLanguages, language) || code.length > MAX_CODE_CHARACTERS || hasLongLine(code))
      return null
    await shiki.loadLanguage(bundledLanguages[language as keyof typeof bundledLanguages])
    const { tokens } = shiki.codeToTokens(code.replace(/\n$/, ''), {
      lang: language,
      themes: THEMES,
      defaultColor: false,
      // By default a line is given up after half a second, which the first one of a language may take.
      tokenizeTimeLimit: 0,
    })
    return tokens.map((line) =>
      line.map(({ content, htmlStyle }) => {
        const style = (htmlStyle ?? {}) as Record<string, string>
        return [content, style['--shiki-light'] ?? 'inherit', style['--shiki-dark'] ?? 'inherit']
      }),
    )
  }
}
