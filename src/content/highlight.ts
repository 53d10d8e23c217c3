import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { backgroundSteps, yieldToRequests } from '../lib/cooperative-scheduling.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import { shortDigest } from '../lib/short-digest.ts'
import { singleFlight } from '../lib/single-flight.ts'
import { threadCpuLimit } from '../lib/thread-cpu-limit.ts'
import { threadEnv } from '../lib/thread-env.ts'
import { type CodeStyle, codeHtml, PLAIN_STYLE } from './code-block.ts'
import type { HighlightCache } from './highlight-cache.ts'

/** Lines of tokens, each with its colour in the light and the dark theme. Null if Shiki does not know the language. */
export type TokenLines = [text: string, light: string, dark: string][][] | null

/** The HTML of each line, and the CSS rules of its classes. Null if the code stays plain. */
type HighlightedCode = { lines: string[]; rules: string[] } | null

export interface Highlighter {
  /** Adds the code of a document to those that `highlightMissing` highlights, unless the cache has it. */
  enqueue(code: string, language: string): void
  /** HTML of the code: highlighted if the cache has it. Otherwise it is plain, and the code is enqueued. */
  toHtml(code: string, language: string, style?: CodeStyle): string
  /**
   * Highlights the enqueued code, and removes code from the cache that no document has had since the start. Resolves to
   * true if code was highlighted. The pages must then be made again.
   */
  highlightMissing(): Promise<boolean>
  /** Whether there is enqueued code. */
  hasMissing(): boolean
  /** The style sheet of the colours in use. The CSP of the pages allows no inline styles. */
  css(): string
}

export async function createHighlighter(cache: HighlightCache, cpuLimitMs = CPU_LIMIT_MS): Promise<Highlighter> {
  // Serialized, by key: thousands of parsed blocks of code would lengthen the pauses of the garbage collector.
  const highlighted = await cache.read()
  const missing = new Map<string, { code: string; language: string }>()
  const used = new Set<string>()
  let css = await styleSheetOf(highlighted.values())

  async function highlightAll(): Promise<boolean> {
    if (missing.size === 0) return false
    await addMissing()
    await removeUnused()
    css = await styleSheetOf(highlighted.values())
    return true
  }

  async function addMissing(): Promise<void> {
    await using shiki = startShiki(cpuLimitMs)
    let unsaved: [key: string, serialized: string][] = []
    let characters = 0
    for (const [key, { code, language }] of missing) {
      const serialized = JSON.stringify(colour(await shiki.highlight(code, language)))
      highlighted.set(key, serialized)
      unsaved.push([key, serialized])
      characters += serialized.length
      if (characters < MAX_UNSAVED_CHARACTERS && unsaved.length < MAX_UNSAVED_BLOCKS) continue
      await cache.add(unsaved)
      unsaved = []
      characters = 0
    }
    missing.clear()
    if (unsaved.length > 0) await cache.add(unsaved)
  }

  async function removeUnused(): Promise<void> {
    const unused = [...highlighted.keys()].filter((key) => !used.has(key))
    while (unused.length > 0) {
      // Code may have come into use since.
      const keys = unused.splice(-MAX_REMOVED_TOGETHER).filter((key) => !used.has(key))
      for (const key of keys) highlighted.delete(key)
      if (keys.length > 0) await cache.remove(keys)
      await yieldToRequests()
    }
  }

  function find(code: string, language: string): string | undefined {
    const key = keyOf(code, language)
    const known = highlighted.get(key)
    used.add(key)
    if (language && known === undefined) missing.set(key, { code, language })
    return known
  }

  function linesOf(code: string, language: string): string[] | undefined {
    const known = find(code, language)
    return known === undefined ? undefined : deserialize(known)?.lines
  }

  return {
    enqueue(code, language) {
      find(code, language)
    },
    toHtml: (code, language, style = PLAIN_STYLE) => codeHtml(code, language, linesOf(code, language), style),
    hasMissing: () => missing.size > 0,
    highlightMissing: singleFlight(highlightAll),
    css: () => css,
  }
}

function colour(lines: TokenLines): HighlightedCode {
  if (!lines) return null
  const names = new Map<string, string>()
  const piece = ([text, light, dark]: [string, string, string]) => {
    if (!text.trim()) return escapeHtml(text)
    const declaration = `color:light-dark(${light},${dark})`
    const name = names.get(declaration) ?? classOf(declaration)
    names.set(declaration, name)
    return `<span class="${name}">${escapeHtml(text)}</span>`
  }
  const html = lines.map((line) => line.map(piece).join(''))
  return { lines: html, rules: [...names].map(([declaration, name]) => `.${name}{${declaration}}`) }
}

/** A short name that depends on the colours alone, so that all instances of a site have the same classes. */
function classOf(declaration: string): string {
  return `c${createHash('sha256').update(declaration).digest('hex').slice(0, 5)}`
}

function deserialize(serialized: string): HighlightedCode {
  return JSON.parse(serialized)
}

async function styleSheetOf(highlighted: Iterable<string>): Promise<string> {
  const rules = new Set<string>()
  const step = backgroundSteps()
  for (const serialized of highlighted) {
    for (const rule of deserialize(serialized)?.rules ?? []) rules.add(rule)
    const yielded = step()
    if (yielded) await yielded
  }
  return [...rules].sort().join('')
}

function keyOf(code: string, language: string): string {
  return shortDigest(createHash('sha256').update(JSON.stringify([HIGHLIGHT_VERSION, language, code])))
}

// Part of the cache key. Increment it when the highlighting changes: cached code is then highlighted again.
const HIGHLIGHT_VERSION = 3

// Longer code is not highlighted: it is probably generated, and highlighting is slow.
const MAX_CODE_CHARACTERS = 50_000
const MAX_LINE_CHARACTERS = 2000
const hasLongLine = (code: string) => code.split('\n').some(({ length }) => length >= MAX_LINE_CHARACTERS)

// After a crash, the next start highlights only the code that was not saved. SQLite writes this in about a millisecond.
const MAX_UNSAVED_CHARACTERS = 64 * 1024
// SQLite takes 32,766 parameters in a statement (sqlite.org/limits.html), and inserts this many rows in about 3 ms.
// Code that stays plain has few characters.
const MAX_UNSAVED_BLOCKS = 200
const MAX_REMOVED_TOGETHER = 500

// Some grammars need minutes for a line that was crafted to be slow. Code beyond this limit is not highlighted.
const CPU_LIMIT_MS = 15_000

/** Starts a thread with Shiki on demand. Most starts find all code in the cache and do not need it. */
function startShiki(
  cpuLimitMs: number,
): { highlight(code: string, language: string): Promise<TokenLines> } & AsyncDisposable {
  let worker = startThread()
  return {
    async highlight(code, language) {
      if (code.length > MAX_CODE_CHARACTERS || hasLongLine(code)) return null
      worker.postMessage({ code, language })
      using limit = threadCpuLimit(worker, cpuLimitMs)
      try {
        // `once` rejects when the thread emits an error.
        const [lines] = await once(worker, 'message', { signal: limit.signal })
        return lines
      } catch (error) {
        if (!limit.signal.aborted) throw error
        await worker.terminate()
        worker = startThread()
        return null
      }
    },
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

function startThread(): Worker {
  const worker = new Worker(new URL('./highlight-thread.js', import.meta.url), { execArgv: [], env: threadEnv() })
  // Highlighting does not keep the process alive: the next start continues it.
  worker.unref()
  // Without a listener, an error that no call of `highlight` waits for would end the process.
  worker.on('error', () => {})
  return worker
}
