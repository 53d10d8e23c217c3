import { homedir } from 'node:os'
import { join } from 'node:path'

/** The folder that caches the program of a peer between runs. */
export function cacheFolder(name: string): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'portico-bench', name)
}
