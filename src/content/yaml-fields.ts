import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'
import { nearest } from '../lib/nearest.ts'
import { ContentFault } from './fault.ts'
import { isLocalPath, isSafeAddress } from './own-address.ts'
import { plainText } from './plain-text.ts'
import { writtenDate } from './written-date.ts'

// Added to messages of the YAML parser that do not name the likely mistake.
const HINTS: Record<string, string> = {
  BLOCK_AS_IMPLICIT_KEY: ' (a text with ": " in it needs quotes)',
  BAD_INDENT: ' (" #" begins a comment: a text with it needs quotes)',
}

// No document has as many. The time of each look-up is linear in the number of fields.
const MAX_FIELDS = 200

// In YAML 1.2, yes and no are texts.
const YES_OR_NO = new Map<unknown, boolean>([
  ['yes', true],
  [true, true],
  ['no', false],
  [false, false],
])

export function isYesOrNo(value: unknown): boolean {
  return YES_OR_NO.has(value)
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
    // The parser's own check of unique keys compares each key with all others.
    this.#root = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false })
    const [error] = this.#root.errors
    // The parser reports BAD_INDENT at the start of the line after the mistake.
    const shift = error?.code === 'BAD_INDENT' ? 1 : 0
    if (error) throw this.#fault(error.pos[0] - shift, error.message + (HINTS[error.code] ?? ''))
    if (this.#root.contents !== null && !isMap(this.#root.contents))
      throw this.#fault(0, 'must be a list of fields, such as "title: …"')
    const fields = isMap(this.#root.contents) ? this.#root.contents.items : []
    if (fields.length > MAX_FIELDS) throw this.#faultAt(fields[MAX_FIELDS]?.key, `has more than ${MAX_FIELDS} fields`)
    visit(this.#root, { Map: (_key, { items }) => this.#requireUnique(items.map(({ key }) => key)) })
  }

  #requireUnique(keys: unknown[]): void {
    const names = new Set<string>()
    for (const key of keys) {
      // The time to write a list as a text doubles with each list in it.
      if (isNode(key) && !isScalar(key)) throw this.#faultAt(key, 'the name of a field must be a text')
      const name = String(isScalar(key) ? key.value : key)
      if (names.has(name)) throw this.#faultAt(key, `"${name}" is there twice: fields must be unique`)
      names.add(name)
    }
  }

  /** A fault for each unknown field, with the known field that was probably meant. */
  unknownFields<const T extends string>(
    known: readonly T[],
  ): { meant: T | undefined; value: unknown; fault: ContentFault }[] {
    const keys = isMap(this.#root.contents) ? this.#root.contents.items.map(({ key }) => key) : []
    return keys.flatMap((key) => {
      const name = String(isScalar(key) ? key.value : key)
      if (known.some((field) => field === name)) return []
      const meant = nearest(name, known)
      const message = `"${name}" is not a field${meant ? `: did you mean "${meant}"?` : ''}`
      return [{ meant, value: this.#value(name), fault: this.#faultAt(key, message) }]
    })
  }

  /** Whether the field has a value other than `false` and an empty text. */
  isSet(name: string): boolean {
    const value = this.#value(name)
    return value !== undefined && value !== null && value !== false && value !== ''
  }

  isFlag(name: string): boolean {
    return isYesOrNo(this.#value(name))
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
    return this.optionalFlag(name) ?? fallback
  }

  optionalFlag(name: string): boolean | undefined {
    const value = this.#value(name) ?? undefined
    if (value === undefined) return undefined
    return YES_OR_NO.get(value) ?? this.#fail(name, `"${name}" must be true or false`)
  }

  /** A group of yes or no for some of these names. */
  flags<const T extends string>(name: string, known: readonly T[]): Partial<Record<T, boolean>> {
    const node = this.#root.get(name, true)
    if (this.#isEmpty(name)) return {}
    if (!isMap(node)) return this.#fail(name, `"${name}" must have fields such as "${known[0]}: yes"`)
    const entries = node.items.map(({ key, value }) => {
      const [field, flag] = [key, value].map((part) => (isScalar(part) ? part.value : undefined))
      const meant = known.find((some) => some === field)
      if (!meant) throw this.#faultAt(key, `each field of "${name}" must be one of ${known.join(', ')}`)
      if (!YES_OR_NO.has(flag)) throw this.#faultAt(value, `"${meant}" must be yes or no`)
      return [meant, YES_OR_NO.get(flag)]
    })
    return Object.fromEntries(entries)
  }

  /** A day (midnight UTC) or a moment. */
  date(name: string): Date | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    return writtenDate(text) ?? this.#fail(name, `"${name}" must be a date such as 2026-12-31 or 2026-12-31T09:00Z`)
  }

  texts(name: string): string[] {
    return this.#items(name).map((item) =>
      isScalar(item) && String(item.value).trim()
        ? plainText(String(item.value)).trim()
        : this.#fail(name, `"${name}" must be a list of texts`),
    )
  }

  /** A list of texts, or one text. Each has its line. */
  textsWithLines(name: string): { text: string; line: number }[] {
    const node = this.#root.get(name, true)
    const isOne = isScalar(node) && (typeof node.value === 'string' || typeof node.value === 'number')
    const items = isOne && !this.#isEmpty(name) ? [node] : this.#items(name, 'a text or a list of texts')
    return items.map((item) => {
      if (!isScalar(item) || !String(item.value).trim()) throw this.#faultAt(item, `"${name}" must be a list of texts`)
      return { text: plainText(String(item.value)).trim(), line: this.#lineOf(item) }
    })
  }

  /** Fields with texts as their values. Each has its line. */
  pairs(name: string): { name: string; text: string; line: number }[] {
    if (this.#isEmpty(name)) return []
    const node = this.#root.get(name, true)
    if (!isMap(node)) return this.#fail(name, `"${name}" must be a list of fields, such as "/old: /new"`)
    return node.items.map(({ key, value }) => {
      if (!isScalar(key) || !isScalar(value) || typeof value.value !== 'string')
        throw this.#faultAt(key, `each of "${name}" must be a text, such as "/old: /new"`)
      return { name: plainText(String(key.value)).trim(), text: plainText(value.value).trim(), line: this.#lineOf(key) }
    })
  }

  /** A list of some of these values. */
  listOf<const T extends string>(name: string, values: readonly T[]): T[] {
    return this.texts(name).map(
      (text) =>
        values.find((known) => known === text) ??
        this.#fail(name, `each of "${name}" must be one of ${values.join(', ')}`),
    )
  }

  /** A list of { title, url }. Each has its line. */
  links(name: string): { title: string; url: string; line: number }[] {
    return this.#items(name).map((item) => {
      const [title, url] = isMap(item) ? [item.get('title'), item.get('url')] : []
      if (typeof title === 'string' && typeof url === 'string' && isSafeAddress(url)) {
        return { title: plainText(title), url: plainText(url), line: this.#lineOf(item) }
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

  /** The value of a field: numbers as texts. */
  value(name: string): unknown {
    return this.#value(name)
  }

  /** The line of a field's value. */
  line(name: string): number {
    return this.#lineOf(this.#root.get(name, true))
  }

  /** A fault at the line of a field's value. */
  fault(name: string, message: string): ContentFault {
    return this.faultIn(this.line(name), message)
  }

  /** A fault at a line of the file. */
  faultIn(line: number, message: string): ContentFault {
    return new ContentFault(this.#file, line, message)
  }

  #items(name: string, rule = 'a list'): unknown[] {
    if (this.#isEmpty(name)) return []
    const node = this.#root.get(name, true)
    return isSeq(node) ? node.items : this.#fail(name, `"${name}" must be ${rule}`)
  }

  /** Whether the field is absent, or has no value or an empty text. */
  #isEmpty(name: string): boolean {
    const value = this.#value(name) ?? ''
    return typeof value === 'string' && value.trim() === ''
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
