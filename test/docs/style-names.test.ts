import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { DEFAULT_SITE, LOOKS } from '../../src/content/site.ts'
import { styleSheet } from '../../src/pages/styles.ts'

const GUIDE = readFileSync(new URL('../../docs/pages/guides/look.md', import.meta.url), 'utf8')
const CSS = styleSheet('full', DEFAULT_SITE)

/** The names in backquotes in the first column of the table below a heading. */
function documented(heading: string): string[] {
  const [, part = ''] = GUIDE.split(`## ${heading}\n`)
  const rows = (part.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
}

describe('the documented names of the style sheet', () => {
  it('are all custom properties of the page', () => {
    const [, tokens = ''] = /:root \{\n([^}]*)\n\}/.exec(CSS) ?? []
    const accents = CSS.slice(CSS.lastIndexOf(':root {'))
    const defined = [...`${tokens}\n${accents}`.matchAll(/^(--[\w-]+):/gm)].map(([, name]) => name)
    assert.deepEqual(documented('Custom properties').sort(), defined.sort())
  })

  it('are classes that exist', () => {
    const names = documented('Class names')
    assert.ok(names.length > 20)
    for (const name of names) assert.match(CSS, new RegExp(`\\${name}(?![\\w-])`), name)
  })

  it('are those of all looks', () => {
    for (const look of LOOKS) assert.ok(GUIDE.includes(`| \`${look}\` |`), look)
  })
})
