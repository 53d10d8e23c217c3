import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { instantOf } from '../http/vocabulary.ts'
import { ContentFault } from './fault.ts'
import { plainText } from './plain-text.ts'

/** Reads named fields of a YAML text; each fault names the file and the line it stands in. */
export class YamlFields {
  readonly #file: string
  readonly #firstLine: number
  readonly #lines = new LineCounter()
  readonly #root: ReturnType<typeof parseDocument>

  /** `firstLine` is the line of the file that the text begins at. */
  constructor(file: string, text: string, firstLine = 1) {
    this.#file = file
    this.#firstLine = firstLine
    this.#root = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false })
    const [error] = this.#root.errors
    if (error) throw this.#fault(error.pos[0], error.message)
    if (this.#root.contents !== null && !isMap(this.#root.contents))
      throw this.#fault(0, 'must be a list of fields, such as "title: …"')
  }

  requiredText(name: string): string {
    return this.text(name) ?? this.#refuse(name, `"${name}" is missing`)
  }

  text(name: string): string | undefined {
    const value = this.#value(name)
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    return this.#refuse(name, `"${name}" must be text`)
  }

  oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T {
    const value = this.text(name) ?? fallback
    const found = values.find((known) => known === value)
    return found ?? this.#refuse(name, `"${name}" must be one of ${values.join(', ')}`)
  }

  flag(name: string): boolean {
    const value = this.#value(name) ?? false
    return typeof value === 'boolean' ? value : this.#refuse(name, `"${name}" must be true or false`)
  }

  /** A day (midnight UTC) or a moment, in ISO 8601. */
  date(name: string): Date | undefined {
    const text = this.text(name)
    return text === undefined
      ? undefined
      : (instantOf(text) ?? this.#refuse(name, `"${name}" must be a date such as 2026-12-31`))
  }

  texts(name: string): string[] {
    const node = this.#root.get(name, true)
    if (node === undefined) return []
    if (!isSeq(node)) return this.#refuse(name, `"${name}" must be a list`)
    return node.items.map((item) =>
      isScalar(item) && String(item.value).trim()
        ? plainText(String(item.value)).trim()
        : this.#refuse(name, `"${name}" must be a list of texts`),
    )
  }

  /** A list of { title, url }. */
  links(name: string): { title: string; url: string }[] {
    const node = this.#root.get(name, true)
    if (node === undefined) return []
    if (!isSeq(node)) return this.#refuse(name, `"${name}" must be a list`)
    return node.items.map((item) => {
      const [title, url] = isMap(item) ? [item.get('title'), item.get('url')] : []
      if (typeof title === 'string' && typeof url === 'string' && isSafeAddress(url)) {
        return { title: plainText(title), url: plainText(url) }
      }
      return this.#refuse(name, `"${name}" must be a list of "title" and "url", with a path or an http(s) address`)
    })
  }

  #value(name: string): unknown {
    const value = this.#root.get(name)
    // Unquoted dates and numbers are texts to us; escapes may have brought in what is none.
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' ? plainText(value) : value
  }

  #refuse(name: string, message: string): never {
    const node = this.#root.get(name, true)
    throw this.#fault(isNode(node) ? (node.range?.[0] ?? 0) : 0, message)
  }

  #fault(offset: number, message: string): ContentFault {
    return new ContentFault(this.#file, this.#firstLine - 1 + Math.max(1, this.#lines.linePos(offset).line), message)
  }
}

function isSafeAddress(url: string): boolean {
  return /^\/(?!\/)/.test(url) || /^https?:\/\//i.test(url) || /^mailto:/i.test(url)
}
