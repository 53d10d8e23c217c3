import { globSync } from 'node:fs'
import { join } from 'node:path'

/**
 * All test files of a folder, one after the other in this process. Tests whose service lives in their own process
 * share what loading and warming up it costs: a third of the time that they take in a process each.
 */
export async function wholeFolder(name: string): Promise<void> {
  const folder = join(import.meta.dirname, '..', name)
  for (const file of globSync('*.test.ts', { cwd: folder }).sort()) await import(join(folder, file))
}
