import { ALIAS_FIELDS } from './engine-fields.ts'
import { ContentFault } from './fault.ts'
import { OWN_ORIGIN } from './own-address.ts'
import { isServerPath, pageOf } from './page-paths.ts'
import type { YamlFields } from './yaml-fields.ts'

/** A former path of a document, with its line in the file. */
export interface Alias {
  path: string
  line: number
}

/** An entry of `redirects` in `site.yaml`. */
export interface Redirect {
  from: string
  /** A path of this site, or an https address of another one. */
  to: string
  line: number
}

const MAX_ADDRESS_CHARACTERS = 500
const MAX_ALIASES = 100
const PATH_RULE = 'a path such as /old/post, without "?" and "#"'
const TARGET_RULE = 'a path such as /new, or an https address of another site'

/** The former paths of a document. An invalid one is reported and left out. */
export function readAliases(fields: YamlFields, note: (fault: ContentFault) => void): Alias[] {
  const aliases = ALIAS_FIELDS.flatMap((field) =>
    fields.textsWithLines(field).flatMap(({ text, line }) => {
      const path = pathOf(text)
      // Other engines have patterns such as /:year/:title/.
      if (path && !(isAddressField(field) && text.includes(':'))) return [{ path, line, field }]
      note(fields.faultIn(line, `"${text}" of "${field}" must be ${PATH_RULE}`))
      return []
    }),
  )
  if (aliases.length > MAX_ALIASES) throw fields.fault('aliases', `"aliases" may have ${MAX_ALIASES} entries at most`)
  return aliases.map(({ path, line }) => ({ path, line }))
}

function isAddressField(field: (typeof ALIAS_FIELDS)[number]): boolean {
  return field === 'permalink' || field === 'url'
}

/** The entries of `redirects`. An invalid one is reported and left out. */
export function readRedirects(fields: YamlFields, name: string, note: (fault: ContentFault) => void): Redirect[] {
  return fields.pairs(name).flatMap(({ name: from, text, line }) => {
    const [path, to] = [pathOf(from), targetOf(text)]
    if (path && to) return [{ from: path, to, line }]
    const problem = path ? `"${text}" must be ${TARGET_RULE}` : `"${from}" must be ${PATH_RULE}`
    note(fields.faultIn(line, problem))
    return []
  })
}

/** The parts of a library that define redirects. */
export interface Redirected {
  site: { redirects: Redirect[] }
  documents: { file: string; path: string; aliases: Alias[] }[]
}

/** The paths of the pages and of the files that the site serves. */
interface ServedPaths {
  pages: { has(path: string): boolean }
  files: { has(path: string): boolean }
}

export interface Redirects {
  /** A path of this site, or the address of another one, by path. */
  targets: Map<string, string>
  faults: ContentFault[]
}

interface Entry {
  to: string
  /** The path of the target on this site. Undefined for another site. */
  target: string | undefined
  file: string
  line: number
}

/**
 * The redirects of the site, by path. An entry that would hide a page or a file, repeats another one, leads to another
 * redirect or to nothing is reported and left out, so no redirect is part of a chain or of a loop.
 */
export function resolveRedirects({ site, documents }: Redirected, { pages, files }: ServedPaths): Redirects {
  // Each page is also served as markdown. A file of the same address would come first.
  const isServed = (path: string) => files.has(path) || pages.has(pageOf(path))
  const faults: ContentFault[] = []
  const entries = new Map<string, Entry>()
  const fail = ({ file, line }: { file: string; line: number }, why: string) =>
    faults.push(new ContentFault(file, line, why))
  for (const { from, ...entry } of entriesOf({ site, documents })) {
    const other = entries.get(from)
    if (other) fail(entry, `${from} redirects already: see ${other.file}:${other.line}`)
    else if (isServed(from)) fail(entry, `${from} does not redirect: there is a page or a file at this address`)
    else if (isServerPath(from)) fail(entry, `${from} does not redirect: the address belongs to the site itself`)
    else entries.set(from, { ...entry, target: localPathOf(entry.to) })
  }
  const targets = new Map<string, string>()
  for (const [from, entry] of entries) {
    const { target } = entry
    if (target === undefined) targets.set(from, entry.to)
    else if (entries.has(target)) fail(entry, whyChained(from, target, entries))
    else if (isServed(target) || isServerPath(target)) targets.set(from, entry.to)
    else fail(entry, `${from} does not redirect: there is nothing at ${target}`)
  }
  return { targets, faults }
}

/** The location for a request with a query. The query is added to that of the target, before its fragment. */
export function locationOf(target: string, search: string): string {
  const query = search.slice(1)
  if (!query) return target
  const [address = '', ...fragment] = target.split(/(?=#)/)
  return `${address}${address.includes('?') ? '&' : '?'}${query}${fragment.join('')}`
}

/** The path of a target on this site. Undefined for another site. */
export function localPathOf(target: string): string | undefined {
  return target.startsWith('/') ? pathOf(target.replace(/[?#].*$/s, '')) : undefined
}

function* entriesOf({ site, documents }: Redirected) {
  for (const { from, to, line } of site.redirects) yield { from, to, file: 'site.yaml', line }
  for (const { file, path, aliases } of documents) {
    for (const alias of aliases) if (alias.path !== path) yield { from: alias.path, to: path, file, line: alias.line }
  }
}

// The redirects that are followed in search of a loop.
const MAX_STEPS = 20

function whyChained(from: string, target: string, entries: Map<string, Entry>): string {
  let at: string | undefined = target
  for (let step = 0; at !== undefined && at !== from && step < MAX_STEPS; step++) {
    at = entries.get(at)?.target
  }
  return at === from
    ? `${from} does not redirect: it leads back to itself`
    : `${from} does not redirect: ${target} redirects too, so name the address where that one leads`
}

/** The path as requests are looked up: percent-encoded, without a slash at its end. Undefined if it is none. */
function pathOf(text: string): string | undefined {
  const url = localUrl(text)
  if (!url || url.search || url.hash || /[?#]/.test(text)) return undefined
  try {
    const path = encodeURI(decodeURI(url.pathname))
    return path.length > 1 ? path.replace(/\/$/, '') : path
  } catch {
    return undefined
  }
}

function targetOf(text: string): string | undefined {
  const local = localUrl(text)
  if (local) return local.pathname + local.search + local.hash
  const url = text.length <= MAX_ADDRESS_CHARACTERS && !isControlled(text) ? URL.parse(text) : null
  return url?.protocol === 'https:' && !url.username && !url.password ? url.href : undefined
}

/** Parses a path as browsers do: "/\evil.example" and "//evil.example" lead to other hosts. */
function localUrl(text: string): URL | undefined {
  if (!text.startsWith('/') || text.length > MAX_ADDRESS_CHARACTERS || isControlled(text)) return undefined
  const url = URL.parse(text, OWN_ORIGIN)
  // A path of "//evil.example" can also remain when dot segments are removed.
  return url && url.origin === OWN_ORIGIN && !url.pathname.startsWith('//') ? url : undefined
}

/** Whether a text has control characters, which the URL parser removes or encodes, or a backslash, which is a slash. */
function isControlled(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
  return /[\u0000-\u001f\u007f\\]/.test(text)
}
