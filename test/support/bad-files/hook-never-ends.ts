import { describe, it } from 'node:test'
import { cleanUp, suiteCleanUp } from '../clean-up.ts'

describe('a suite', () => {
  const suite = suiteCleanUp()
  cleanUp(suite, () => new Promise(() => setInterval(() => {}, 1000)))
  it('passes', () => {})
})
