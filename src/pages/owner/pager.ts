import { type Html, html } from '../html.ts'

/** The address of a page with these parameters, without those that are empty. */
export function addressWith(path: string, parameters: Record<string, string | undefined>): string {
  const query = new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
  return query.size > 0 ? `${path}?${query}` : path
}

/** The parameters of a list that the query has. Those that are absent have the defaults of the operation. */
export function askedIn<Name extends string>(
  query: URLSearchParams,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const asked = [...query].filter(([name, value]) => (names as readonly string[]).includes(name) && value)
  return Object.fromEntries(asked) as Partial<Record<Name, string>>
}

interface PagerLinks {
  /** Undefined on the first page. */
  first: string | undefined
  /** Undefined on the last page. */
  next: string | undefined
}

/** The links to other pages of a list. The browser leads back to the page before. */
export function pager({ first, next }: PagerLinks): Html | undefined {
  if (!first && !next) return undefined
  return html`<nav class="actions" aria-label="Pages">${first && html`<a class="button quiet" href="${first}">First page</a> `}${next && html`<a class="button quiet" rel="next" href="${next}">Next</a>`}</nav>`
}
