import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The files that a script names, and those of the folders that such a file takes as a whole. */
function filesOf(script: string): string[] {
  const named = [...(scripts[script] ?? '').matchAll(/"(test\/[^"]+)"/g)].flatMap(([, pattern = '']) =>
    filesLike(pattern),
  )
  const taken = named.flatMap((file) => {
    const [, folder] = /wholeFolder\('(.+)'\)/.exec(readFileSync(join(ROOT, file), 'utf8')) ?? []
    return folder ? filesLike(`test/${folder}/*.test.ts`) : []
  })
  return [...named, ...taken]
}

const filesLike = (pattern: string) => globSync(pattern, { cwd: ROOT })

describe('the test files', () => {
  it('are all run, each by one command and once', () => {
    const run = [...filesOf('test'), ...filesOf('test:long')]
    assert.deepEqual(run.sort(), filesLike('test/**/*.test.ts').sort())
    assert.ok(run.length > 100)
  })
})
