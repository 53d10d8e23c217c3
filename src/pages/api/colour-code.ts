import { type Html, html } from '../html.ts'

/**
 * Colours a generated example. The highlighter of the posts is not used: it would delay the first start at each base
 * URL by the time that it takes to load, and its HTML is larger.
 */
export function colourCode(code: string, language: string): Html {
  if (language === 'json') return colourJson(code)
  const pattern = PATTERNS[language]
  if (!pattern) return html`${code}`
  const pieces: Html[] = []
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const isString = match.groups?.string !== undefined
    pieces.push(html`${code.slice(end, match.index)}${coloured(isString ? 'string' : 'word', match[0])}`)
    end = match.index + match[0].length
  }
  return html`${pieces}${code.slice(end)}`
}

// An escaped quote ends a string: no example has one.
const PATTERNS: Record<string, RegExp> = {
  sh: /(?<string>'[^']*'|"[^"]*")|^curl\b| -[A-Za-z]\b/g,
  ts: /(?<string>'[^']*'|`[^`]*`)|\b(?:const|await|new)\b/g,
}

const coloured = (kind: 'string' | 'word', text: string) => html`<span class="${kind}">${text}</span>`

/** Each line of indented JSON has at most one value, after the key. */
function colourJson(code: string): Html {
  const lines = code.split('\n').map((line) => {
    const [start = ''] = /^ *(?:"[^"]*": )?/.exec(line) ?? []
    const value = line.slice(start.length).replace(/,$/, '')
    const kind = value.startsWith('"') ? 'string' : /^[a-z\d-]/.test(value) && 'word'
    return html`${start}${kind ? coloured(kind, value) : value}${line.slice(start.length + value.length)}`
  })
  return html`${lines.map((line, index) => html`${index > 0 && '\n'}${line}`)}`
}
