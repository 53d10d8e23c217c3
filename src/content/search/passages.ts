import type { Token } from 'markdown-it'
import { plainText } from '../plain-text.ts'

/** The plain text between a heading and the next. */
export interface Passage {
  /** The id of the heading. Empty for the text before the first heading. */
  id: string
  /** The title of the heading, or empty. */
  heading: string
  text: string
}

/**
 * The passages of a page as JSON in UTF-8 (see `serialized-metadata.ts`). Bytes are outside the heap of JavaScript: the
 * passages of all pages are as long as the site.
 */
export type SerializedPassages = Uint8Array

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function serializePassages(passages: Passage[]): SerializedPassages {
  return encoder.encode(JSON.stringify(passages))
}

export function deserializePassages(serialized: SerializedPassages): Passage[] {
  return JSON.parse(decoder.decode(serialized))
}

// A longer text is searched up to here, which bounds the index.
const MAX_PAGE_CHARACTERS = 200_000

/** The tokens that begin a passage. */
export const DIVISIONS: ReadonlySet<string> = new Set(['heading_open', 'footnotes_open'])

/**
 * Divides a text at its headings and before its footnotes. The first passage is the text before the first heading, and
 * may be empty. `headings` has the headings of the tokens, by id.
 */
export function passagesIn(tokens: Token[], headings: Map<string, { title: string }>): Passage[] {
  const passages: Passage[] = []
  let current: { id: string; heading: string; texts: string[] } = { id: '', heading: '', texts: [] }
  let characters = 0
  for (const [index, token] of tokens.entries()) {
    if (DIVISIONS.has(token.type)) {
      finish()
      const id = String(token.attrGet('id'))
      const heading = token.type === 'footnotes_open' ? 'Footnotes' : (headings.get(id)?.title ?? '')
      current = { id, heading, texts: [] }
    } else if (tokens[index - 1]?.type !== 'heading_open' && characters < MAX_PAGE_CHARACTERS) {
      const text = textOf(token)
      characters += text.length
      if (text) current.texts.push(text)
    }
  }
  finish()
  return passages

  function finish(): void {
    const { id, heading, texts } = current
    passages.push({ id, heading, text: plainText(texts.join(' ')).replace(/\s+/g, ' ').trim() })
  }
}

function textOf({ type, content, children }: Token): string {
  if (type === 'fence' || type === 'code_block' || type === 'math_block') return content
  return type === 'inline' ? (children ?? []).map(inlineText).join('') : ''
}

function inlineText({ type, content }: Token): string {
  return type === 'softbreak' || type === 'hardbreak' ? ' ' : content
}
