// @ts-check
// The worker thread of `highlight.ts`. It posts the highlighted lines for each message, or null if Shiki does not know
// the language, or fails on the code. Shiki and its grammars take tens of megabytes, which are freed when the thread
// ends. The file is plain JavaScript, so that the thread starts without loading the type stripper.
import { parentPort } from 'node:worker_threads'
import { createHighlighterCore } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import { bundledLanguages } from 'shiki/langs'
import { lowerThreadPriority } from '../lib/low-priority.js'

// With the lowest priority, the kernel runs the threads that serve requests first (lib/low-priority.js).
lowerThreadPriority()

const THEMES = { light: 'github-light-default', dark: 'github-dark-default' }

const shiki = await createHighlighterCore({
  themes: [import('@shikijs/themes/github-light-default'), import('@shikijs/themes/github-dark-default')],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
})
parentPort?.on('message', async ({ code, language }) => parentPort?.postMessage(await highlight(code, language)))

/**
 * @param {string} code
 * @param {string} language
 * @returns {Promise<import('./highlight.ts').TokenLines>}
 */
async function highlight(code, language) {
  if (!Object.hasOwn(bundledLanguages, language)) return null
  await shiki.loadLanguage(bundledLanguages[/** @type {keyof typeof bundledLanguages} */ (language)])
  const tokens = tokensOf(code.replace(/\n$/, ''), language)
  if (!tokens) return null
  return tokens.map((line) =>
    line.map(({ content, htmlStyle }) => {
      const style = /** @type {Record<string, string>} */ (htmlStyle ?? {})
      return [content, style['--shiki-light'] ?? 'inherit', style['--shiki-dark'] ?? 'inherit']
    }),
  )
}

/**
 * Code that a grammar fails on stays plain, and the rest is highlighted.
 *
 * @param {string} code
 * @param {string} lang
 */
function tokensOf(code, lang) {
  try {
    // By default Shiki skips a line after 500 ms. The first line of a language can take longer.
    return shiki.codeToTokens(code, { lang, themes: THEMES, defaultColor: false, tokenizeTimeLimit: 0 }).tokens
  } catch {
    return null
  }
}
