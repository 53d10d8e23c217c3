import { ask, type PlainAnswer, variesBy } from './plain-request.ts'

interface Kept {
  answer: PlainAnswer
  /** What the request that it answered said in the headers that the answer varies by. */
  selected: Record<string, string>
}

/** A cache in front of a site that everybody shares: it keeps what it may, and sends it to whom it may (RFC 9111). */
export class SharedCache {
  readonly #site: { url: string }
  readonly #kept = new Map<string, Kept[]>()
  hits = 0

  constructor(site: { url: string }) {
    this.#site = site
  }

  async ask(path: string, headers: Record<string, string> = {}): Promise<PlainAnswer> {
    const kept = this.#kept.get(path) ?? []
    const found = kept.find(({ selected }) =>
      Object.entries(selected).every(([name, value]) => (headers[name] ?? '') === value),
    )
    if (found) {
      this.hits += 1
      return found.answer
    }
    const answer = await ask(this.#site, path, headers)
    if (mayKeep(answer)) {
      const selected = Object.fromEntries(variesBy(answer.headers).map((name) => [name, headers[name] ?? '']))
      this.#kept.set(path, [...kept, { answer, selected }])
    }
    return answer
  }
}

function mayKeep({ status, headers }: PlainAnswer): boolean {
  const rules = headers.get('cache-control') ?? ''
  // Without a rule of its own a cache may keep these for as long as it likes.
  const isKeptByDefault = [200, 301, 308, 404, 405, 410].includes(status) && rules === ''
  return isKeptByDefault || (/public|max-age=[1-9]|s-maxage=[1-9]/.test(rules) && !/no-store|private/.test(rules))
}
