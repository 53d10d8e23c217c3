import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder in which the program of a peer is kept from one run to the next. */
export function cacheFolder(name: string): string {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'portico-bench', name)
  mkdirSync(folder, { recursive: true })
  return folder
}
