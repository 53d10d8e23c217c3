import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CleanedUp, cleanUp } from './clean-up.ts'

/** An empty folder that is removed when the test is over. */
export async function temporaryFolder(test: CleanedUp): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-test-'))
  cleanUp(test, () => rm(folder, { recursive: true, force: true }))
  return folder
}
