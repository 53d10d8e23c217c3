import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder in which the program of a peer is kept from one run to the next. */
export function cacheFolder(name: string): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'portico-bench', name)
}
