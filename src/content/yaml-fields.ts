import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { instantOf } from '../http/schema-keywords.ts'
import { nearest } from '../lib/nearest.ts'
import { ContentFault } from './fault.ts'
import { plainText } from './plain-text.ts'

// Added to messages of the YAML parser that do not name the likely mistake.
const HINTS: Record<string, string> = {
  BLOCK_AS_IMPLICIT_KEY: ' (a text with ": " in it needs quotes)',
  BAD_INDENT: ' (" #" begins a comment: a text with it needs quotes)',
}

/** Reads named fields of a YAML text. Each fault names the file and the line. */
export class YamlFields {
  readonly #file: string
  readonly #firstLine: number
  readonly #lines = new LineCounter()
  readonly #root: ReturnType<typeof parseDocument>

  /** `firstLine` is the line number of the file at which the text begins. */
  constructor(file: string, text: string, firstLine = 1) {
    this.#file = file
    this.#firstLine = firstLine
    this.#root = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false })
    const [error] = this.#root.errors
    // The parser reports BAD_INDENT at the start of the line after the mistake.
    const shift = error?.code === 'BAD_INDENT' ? 1 : 0
    if (error) throw this.#fault(error.pos[0] - shift, error.message + (HINTS[error.code] ?? ''))
    if (this.#root.contents !== null && !isMap(this.#root.contents))
      throw this.#fault(0, 'must be a list of fields, such as "title: …"')
  }

  /** A fault for each unknown field, with the known field that was probably meant. */
  unknownFields<const T extends string>(known: readonly T[]): { meant: T | undefined; fault: ContentFault }[] {
    const keys = isMap(this.#root.contents) ? this.#root.contents.items.map(({ key }) => key) : []
    return keys.flatMap((key) => {
      const name = String(isScalar(key) ? key.value : key)
      if (known.some((field) => field === name)) return []
      const meant = nearest(name, known)
      const message = `"${name}" is not a field${meant ? `: did you mean "${meant}"?` : ''}`
      return [{ meant, fault: this.#faultAt(key, message) }]
    })
  }

  requiredText(name: string): string {
    return this.text(name) ?? this.#fail(name, `"${name}" is missing`)
  }

  /** Undefined if the field is absent or empty. */
  text(name: string): string | undefined {
    const value = this.#value(name) ?? ''
    return typeof value === 'string' ? value.trim() || undefined : this.#fail(name, `"${name}" must be text`)
  }

  oneOf<const T extends string>(name: string, values: readonly T[], fallback: T): T {
    const value = this.text(name) ?? fallback
    const match = values.find((known) => known === value)
    return match ?? this.#fail(name, `"${name}" must be one of ${values.join(', ')}`)
  }

  /** A text for which `isValid` is true. `rule` completes the message "must be …". */
  textLike(name: string, isValid: (text: string) => boolean, rule: string): string | undefined {
    const text = this.text(name)
    return text === undefined || isValid(text) ? text : this.#fail(name, `"${name}" must be ${rule}`)
  }

  /** A path of this site. */
  localPath(name: string): string | undefined {
    return this.textLike(name, isLocalPath, 'a path such as /images/me.jpg')
  }

  flag(name: string, fallback = false): boolean {
    const value = this.#value(name) ?? fallback
    return typeof value === 'boolean' ? value : this.#fail(name, `"${name}" must be true or false`)
  }

  /** A day (midnight UTC) or a moment, in ISO 8601. */
  date(name: string): Date | undefined {
    const text = this.text(name)
    return text === undefined
      ? undefined
      : (instantOf(text) ?? this.#fail(name, `"${name}" must be a date such as 2026-12-31 or 2026-12-31T09:00Z`))
  }

  texts(name: string): string[] {
    return this.#items(name).map((item) =>
      isScalar(item) && String(item.value).trim()
        ? plainText(String(item.value)).trim()
        : this.#fail(name, `"${name}" must be a list of texts`),
    )
  }

  /** A list of some of these values. */
  listOf<const T extends string>(name: string, values: readonly T[]): T[] {
    return this.texts(name).map(
      (text) =>
        values.find((known) => known === text) ??
        this.#fail(name, `each of "${name}" must be one of ${values.join(', ')}`),
    )
  }

  /** A list of { title, url }. */
  links(name: string): { title: string; url: string }[] {
    return this.#items(name).map((item) => {
      const [title, url] = isMap(item) ? [item.get('title'), item.get('url')] : []
      if (typeof title === 'string' && typeof url === 'string' && isSafeAddress(url)) {
        return { title: plainText(title), url: plainText(url) }
      }
      const rule = 'must have a "title" and a "url": a path such as /about, or an http(s) or mailto address'
      throw this.#faultAt(item, `each of "${name}" ${rule}`)
    })
  }

  /** A list of { title } with a list of texts under `listName`. Each text has its line. */
  titledLists(name: string, listName: string): { title: string; items: { text: string; line: number }[] }[] {
    return this.#items(name).map((item) => {
      const [title, list] = isMap(item) ? [item.get('title'), item.get(listName)] : []
      if (typeof title !== 'string' || !title.trim() || !isSeq(list)) {
        throw this.#faultAt(item, `each of "${name}" must have a "title" and a list of "${listName}"`)
      }
      const items = list.items.map((entry) => {
        if (!isScalar(entry) || typeof entry.value !== 'string')
          throw this.#faultAt(entry, `"${listName}" must be a list of texts`)
        return { text: plainText(entry.value).trim(), line: this.#lineOf(entry) }
      })
      return { title: plainText(title).trim(), items }
    })
  }

  /** A fault at the line of a field's value. */
  fault(name: string, message: string): ContentFault {
    return this.#faultAt(this.#root.get(name, true), message)
  }

  #items(name: string): unknown[] {
    if (this.#value(name) === undefined || this.#value(name) === null) return []
    const node = this.#root.get(name, true)
    return isSeq(node) ? node.items : this.#fail(name, `"${name}" must be a list`)
  }

  #value(name: string): unknown {
    const value = this.#root.get(name)
    // Unquoted numbers are read as texts. YAML escapes may have produced characters that XML excludes.
    if (typeof value === 'number') return String(value)
    return typeof value === 'string' ? plainText(value) : value
  }

  #fail(name: string, message: string): never {
    throw this.fault(name, message)
  }

  #faultAt(node: unknown, message: string): ContentFault {
    return new ContentFault(this.#file, this.#lineOf(node), message)
  }

  #fault(offset: number, message: string): ContentFault {
    return new ContentFault(this.#file, this.#lineAt(offset), message)
  }

  #lineOf(node: unknown): number {
    return this.#lineAt(isNode(node) ? (node.range?.[0] ?? 0) : 0)
  }

  #lineAt(offset: number): number {
    return this.#firstLine - 1 + Math.max(1, this.#lines.linePos(offset).line)
  }
}

/** Parses the path as browsers do: "/\evil.example" leads to another host. */
function isLocalPath(url: string): boolean {
  return url.startsWith('/') && URL.parse(url, 'http://own.invalid')?.host === 'own.invalid'
}

function isSafeAddress(url: string): boolean {
  return isLocalPath(url) || /^https?:\/\//i.test(url) || /^mailto:/i.test(url)
}
