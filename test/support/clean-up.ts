import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'

type Step = () => unknown

/** Where clean-up is registered: a test, or a suite by `suiteCleanUp`. */
export type CleanedUp = Pick<TestContext, 'after'>

const registered = new WeakMap<CleanedUp, Step[]>()

/**
 * Registers a clean-up step of a test. Steps run in the reverse order of their registration, so that a process is ended
 * before the folder it writes to is removed. A step that throws does not skip the others: all errors are thrown together
 * at the end. `t.after` of node:test does neither.
 */
export function cleanUp(test: CleanedUp, step: Step): void {
  const steps = registered.get(test)
  if (steps) {
    steps.push(step)
    return
  }
  const first = [step]
  registered.set(test, first)
  test.after(() => runAll(first))
}

/** Represents a suite in calls of `cleanUp`. Called once in the body of the suite, or once at the top of a file. */
export function suiteCleanUp(): CleanedUp {
  const { owner, run } = manualCleanUp()
  // Registered now, while node:test knows which suite is being declared.
  after(run)
  return owner
}

/** Clean-up outside node:test: the caller runs it. */
export function manualCleanUp(): { owner: CleanedUp; run(): Promise<void> } {
  const steps: Step[] = []
  const owner: CleanedUp = { after: (step) => void steps.push(step as Step) }
  registered.set(owner, steps)
  return { owner, run: () => runAll(steps.splice(0)) }
}

async function runAll(steps: Step[]): Promise<void> {
  const errors: unknown[] = []
  for (const step of steps.toReversed()) {
    try {
      await step()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, 'clean-up failed')
}

/** An empty folder that is removed when the test is over. */
export async function temporaryFolder(test: CleanedUp): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-test-'))
  cleanUp(test, () => removeFolder(folder))
  return folder
}

/** Retries after ENOTEMPTY: child processes of an ended program, such as a browser, may write for a moment. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}
