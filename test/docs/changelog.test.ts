import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')
const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const headings = [...readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').matchAll(/^## (.*)$/gm)].map(
  ([, text = '']) => text,
)

describe('the changelog', () => {
  it('begins with the unreleased changes, and with the version of package.json after them', () => {
    const [first, second = ''] = headings
    assert.equal(first, 'Unreleased')
    assert.ok(second.startsWith(`${version} (`), second)
  })

  it('gives every version a date, newest first', () => {
    const dates = headings
      .slice(1)
      .map((heading) => /^\d+\.\d+\.\d+ \((\d{4}-\d{2}-\d{2})\)$/.exec(heading)?.[1] ?? heading)
    for (const date of dates) assert.ok(!Number.isNaN(Date.parse(date)), date)
    assert.deepEqual(dates, dates.toSorted().reverse())
  })
})
