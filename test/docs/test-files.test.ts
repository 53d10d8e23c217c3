import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { filesBetween } from '../all/whole-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The files that a script names, and those of the folders that such a file runs as a whole. */
function filesOf(script: string): string[] {
  const named = [...(scripts[script] ?? '').matchAll(/"(test\/[^"]+)"/g)].flatMap(([, pattern = '']) =>
    filesLike(pattern),
  )
  const taken = named.flatMap((file) => {
    const call = /wholeFolder\('(\w+)'(?:, \{ (from|before): '(\w)' \})?\)/
    const [, folder, bound = 'from', letter = ''] = call.exec(readFileSync(join(ROOT, file), 'utf8')) ?? []
    if (!folder) return []
    const names = filesLike(`test/${folder}/*.test.ts`).map((path) => basename(path))
    return filesBetween(names, { [bound]: letter }).map((name) => `test/${folder}/${name}`)
  })
  return [...named, ...taken]
}

function filesWith(pattern: RegExp): string[] {
  return filesLike('test/**/*.ts').filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')))
}

// test:html and test:lighthouse install packages in their folders.
const filesLike = (pattern: string) => globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**'] }).sort()

describe('the test files', () => {
  it('are all run, each by one command and once', () => {
    const run = [...filesOf('test'), ...filesOf('test:long')]
    assert.deepEqual(run.sort(), filesLike('test/**/*.test.ts'))
    assert.ok(run.length > 100)
  })

  it('are the same for the coverage as for the tests', () => {
    assert.deepEqual(filesOf('coverage'), filesOf('test'))
  })

  it('are all run with a limit for each test, and with one for each file', () => {
    for (const script of ['test', 'test:file', 'test:long', 'coverage']) {
      assert.match(scripts[script] ?? '', / --test-timeout=\d+ --import=\.\/test\/support\/test-file\.ts /, script)
    }
  })

  it('register clean-up with cleanUp, which has one order, and never with node:test', () => {
    assert.deepEqual(
      filesWith(/\.after\(|import \{[^}]*\bafter\b[^}]*\} from 'node:test'/),
      // The first is cleanUp itself. The second checks whether the process ends.
      ['test/support/clean-up.ts', 'test/support/test-file.ts'],
    )
  })

  it('start processes with startChild, which ends them', () => {
    assert.deepEqual(
      filesWith(/import \{[^}]*\b(spawn|fork)\b[^}]*\} from 'node:child_process'/),
      // The first is the test of startChild.
      ['test/process/run-limits.test.ts', 'test/support/child.ts'],
    )
  })
})
