import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import type { Portico } from '../../src/portico.ts'
import { fetchPlain, type PlainResponse, variesBy } from './api.ts'
import { removeFolder } from './clean-up.ts'
import { freshDatabase, startOn } from './service.ts'

export const SITE_ADDRESS = 'https://site.example'

export interface TestSite {
  url: string
  portico: Portico
  /** The content folder. */
  folder: string
  /** Every line of the log, as it was written. */
  lines: string[]
  write(file: string, content: string | Uint8Array): Promise<void>
  remove(file: string): Promise<void>
  close(): Promise<void>
}

export type Files = Record<string, string | Uint8Array>

/** A service for tests of the public site, with a content folder of its own. */
export async function startSite(files: Files = {}, settings: Record<string, string> = {}): Promise<TestSite> {
  const database = await freshDatabase('sqlite')
  const site = await startSiteOn(database.env, files, settings)
  return {
    ...site,
    async close() {
      try {
        await site.close()
      } finally {
        await database.drop()
      }
    },
  }
}

/** The same on an existing database. */
export async function startSiteOn(
  env: Record<string, string>,
  files: Files = {},
  settings: Record<string, string> = {},
): Promise<TestSite> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-content-'))
  const write = async (file: string, content: string | Uint8Array) => {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), content)
  }
  for (const [file, content] of Object.entries(files)) await write(file, content)

  const lines: string[] = []
  const log = pino({ level: 'trace', messageKey: 'message' }, { write: (line) => lines.push(line) })
  const service = await startOn({ BASE_URL: SITE_ADDRESS, CONTENT_DIR: folder, ...env, ...settings }, { log })
  // The faults of the content are logged when all documents have been read.
  await service.portico.contentStatus.read()
  return {
    ...service,
    folder,
    lines,
    write,
    remove: (file) => rm(join(folder, file)),
    async close() {
      try {
        await service.close()
      } finally {
        await removeFolder(folder)
      }
    },
  }
}

/** A markdown file with this front matter. */
export function markdown(fields: Record<string, unknown>, text = 'Some words.'): string {
  const yaml = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${yaml.join('\n')}\n---\n${text}\n`
}

/** The log messages about faulty files, with paths as if the content folder were in the working directory. */
export function fileErrorsIn({ folder, lines }: TestSite): string[] {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ level, message }) => level === pino.levels.values.warn && message?.startsWith(`${folder}/`))
    .map(({ message }) => message.replace(folder, 'content'))
}

const WAIT_LIMIT_MS = 60_000

/** Resolves when the check passes for the first time. Rejects with the error of the check when it never passes. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  // Tests may move the date.
  const deadline = performance.now() + WAIT_LIMIT_MS
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await setTimeout(20)
  }
}

/** The distinct addresses under a path that a page links to, in their order. */
export function linksTo(body: string, under: string): string[] {
  const links = [...body.matchAll(/<a (?:(?:class|rel)="\w+" )?href="([^"]+)"/g)].map(([, href]) => href ?? '')
  return [...new Set(links.filter((href) => href.startsWith(under)))]
}

interface Rule {
  isAllowed: boolean
  pattern: string
}

/**
 * Whether the group of `User-agent: *` allows a path by RFC 9309, section 2.2: the longest matching pattern decides,
 * Allow wins among equals, and a path without a match is allowed.
 */
export function isAllowed(robots: string, path: string): boolean {
  const rules = rulesForAll(robots).filter(({ pattern }) => matches(pattern, path))
  rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed))
  return path === '/robots.txt' || (rules[0]?.isAllowed ?? true)
}

function rulesForAll(robots: string): Rule[] {
  const rules: Rule[] = []
  let isForAll = false
  let isHead = false
  for (const line of robots.split(/\r\n?|\n/)) {
    const [, name = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/i.exec(line) ?? []
    const field = name.toLowerCase()
    if (field === 'user-agent') {
      // Several such lines begin one group.
      isForAll = (isHead && isForAll) || value === '*'
      isHead = true
    } else if (field === 'allow' || field === 'disallow') {
      isHead = false
      if (isForAll && value) rules.push({ isAllowed: field === 'allow', pattern: value })
    }
  }
  return rules
}

/** `*` stands for any characters, and `$` at the end for the end of the path. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('.*')}${isWhole ? '$' : ''}`, 's').test(path)
}

interface Kept {
  response: PlainResponse
  /** The values of the headers named by Vary in the request of the stored response. */
  selected: Record<string, string>
}

/** A shared cache in front of a site: it stores and reuses responses as RFC 9111 permits. */
export class SharedCache {
  readonly #site: { url: string }
  readonly #stored = new Map<string, Kept[]>()
  hits = 0

  constructor(site: { url: string }) {
    this.#site = site
  }

  async ask(path: string, headers: Record<string, string> = {}): Promise<PlainResponse> {
    const stored = this.#stored.get(path) ?? []
    const found = stored.find(({ selected }) =>
      Object.entries(selected).every(([name, value]) => (headers[name] ?? '') === value),
    )
    if (found) {
      this.hits += 1
      return found.response
    }
    const response = await fetchPlain(this.#site, path, headers)
    if (isCacheable(response)) {
      const selected = Object.fromEntries(variesBy(response.headers).map((name) => [name, headers[name] ?? '']))
      this.#stored.set(path, [...stored, { response, selected }])
    }
    return response
  }
}

function isCacheable({ status, headers }: PlainResponse): boolean {
  const rules = headers.get('cache-control') ?? ''
  // Without explicit freshness a cache may use a heuristic for these statuses (RFC 9111, section 4.2.2).
  const isHeuristicallyCacheable = [200, 301, 308, 404, 405, 410].includes(status) && rules === ''
  return (
    isHeuristicallyCacheable || (/public|max-age=[1-9]|s-maxage=[1-9]/.test(rules) && !/no-store|private/.test(rules))
  )
}
