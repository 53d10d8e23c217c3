import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'

const TESTS = join(import.meta.dirname, '..')
const security = readFileSync(join(TESTS, '../docs/pages/explanation/security.md'), 'utf8')

/** The tests that the page names. Those without a folder are in test/attack. */
const named = [...security.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, name = '']) =>
  dirname(name) === '.' ? `attack/${name}` : name,
)

describe('the page about security', () => {
  it('names tests that exist', () => {
    assert.ok(named.length > 40)
    assert.deepEqual(
      named.filter((name) => !existsSync(join(TESTS, name))),
      [],
    )
  })

  it('names every file of test/attack', () => {
    const tried = readdirSync(join(TESTS, 'attack')).map((name) => `attack/${name}`)
    assert.deepEqual(
      tried.filter((name) => !named.includes(name)),
      [],
    )
  })
})
