import type { TestContext } from 'node:test'

type Step = () => unknown

const registered = new WeakMap<object, Step[]>()

/**
 * Registers a clean-up step of a test. Steps run in the reverse order of their registration, so that a process is ended
 * before the folder it writes to is removed. A step that throws does not skip the others: all errors are thrown together
 * at the end. `t.after` of node:test does neither.
 */
export function cleanUp(test: Pick<TestContext, 'after'>, step: Step): void {
  const steps = registered.get(test)
  if (steps) {
    steps.push(step)
    return
  }
  const first = [step]
  registered.set(test, first)
  test.after(() => runAll(first))
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
