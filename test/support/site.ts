import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import type { Portico } from '../../src/portico.ts'
import { freshDatabase, startOn } from './service.ts'

export const SITE_ADDRESS = 'https://site.example'

export interface TestSite {
  url: string
  portico: Portico
  /** Where its content is. */
  folder: string
  /** Every line of the log, as it was written. */
  lines: string[]
  write(file: string, content: string | Uint8Array): Promise<void>
  remove(file: string): Promise<void>
  close(): Promise<void>
}

export type Files = Record<string, string | Uint8Array>

/** A service of which only the public side matters, with a content folder of its own. */
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

/** The same on a database that is there already. */
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
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

/** A markdown file with this front matter. */
export function markdown(fields: Record<string, unknown>, text = 'Some words.'): string {
  const yaml = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `---\n${yaml.join('\n')}\n---\n${text}\n`
}

/** What the log says of faulty files, as if the content folder were in the working directory. */
export function faultsIn({ folder, lines }: TestSite): string[] {
  return lines
    .map((line) => JSON.parse(line).message)
    .filter((message) => message?.startsWith(`${folder}/`))
    .map((message) => message.replace(folder, 'content'))
}

const PATIENCE = 60_000

/** Ends when the check passes for the first time; fails as the check does when it never passes. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  // Tests may move the date.
  const deadline = performance.now() + PATIENCE
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await setTimeout(20)
  }
}

/** The different addresses under a path that a page links to, in their order. */
export function linksTo(body: string, under: string): string[] {
  const links = [...body.matchAll(/<a (?:class="\w+" )?href="([^"]+)"/g)].map(([, href]) => href ?? '')
  return [...new Set(links.filter((href) => href.startsWith(under)))]
}
