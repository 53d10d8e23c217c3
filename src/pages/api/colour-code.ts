import { type Html, html } from '../html.ts'

// The names of the groups are also the classes of the colours. The key of a JSON object is in no group.
const PATTERNS = {
  sh: /(?<string>'[^']*'|"[^"]*")|(?<word>\bcurl\b| -[A-Za-z]\b)/g,
  ts: /(?<string>'(?:[^'\\]|\\.)*'|`[^`]*`)|(?<word>\b(?:const|await|new)\b)/g,
  json: /"(?:[^"\\]|\\.)*":|(?<string>"(?:[^"\\]|\\.)*")|(?<word>\b(?:true|false|null|\d+)(?=,?$))/gm,
}

/**
 * Colours a generated example. The highlighter of the posts is not used: it would delay the first start at each base
 * URL by the time that it takes to load, and its HTML is larger.
 */
export function colourCode(code: string, language: string): Html {
  const pattern = PATTERNS[language as keyof typeof PATTERNS]
  if (!pattern) return html`${code}`
  const pieces: Html[] = []
  let end = 0
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? []
    if (!kind) continue
    pieces.push(html`${code.slice(end, match.index)}<span class="${kind}">${match[0]}</span>`)
    end = match.index + match[0].length
  }
  return html`${pieces}${code.slice(end)}`
}
