import { globSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Runs the test files of a folder, one after the other in this process. Tests whose service runs in their own process
 * share the cost of loading and warming it up: that saves a third of the time of separate processes.
 */
export async function wholeFolder(name: string, names: { from?: string; before?: string } = {}): Promise<void> {
  const folder = join(import.meta.dirname, '..', name)
  for (const file of filesBetween(globSync('*.test.ts', { cwd: folder }), names)) await import(join(folder, file))
}

/** The names from one letter on and before another, sorted. */
export function filesBetween(
  files: string[],
  { from = '', before = '~' }: { from?: string; before?: string },
): string[] {
  return files.filter((file) => file >= from && file < before).sort()
}
