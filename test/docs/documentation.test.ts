import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { generatedPages } from '../../scripts/docs/generated-pages.ts'
import { checkContent } from '../../src/content/check-content.ts'
import { readLibrary } from '../../src/content/library.ts'

const ROOT = join(import.meta.dirname, '../..')
const DOCS = join(ROOT, 'docs')
const PAGES = globSync('docs/pages/**/*.md', { cwd: ROOT })
const ROOT_FILES = globSync('*.md', { cwd: ROOT })

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('the documentation', () => {
  it('is a content folder without a fault', async () => {
    const { exists, faults } = await checkContent(DOCS, 'https://docs.example')
    assert.ok(exists)
    assert.deepEqual(
      faults.map(({ message }) => message),
      [],
    )
  })

  it('has every page in a section', async () => {
    const { site, pages } = await readLibrary(DOCS)
    const listed = site.sections.flatMap((section) => section.pages.map(({ file }) => file))
    const files = pages.map(({ file }) => file).filter((file) => file !== 'pages/index.md')
    assert.deepEqual(listed.sort(), files.sort())
  })

  it('has the reference that its source makes (npm run docs:generate)', async () => {
    for (const [file, text] of Object.entries(await generatedPages()))
      assert.equal(read(join('docs', file)), text, file)
  })

  it('names files that exist', () => {
    // Names without a first folder of the repository are below src/ or test/.
    const missing = PAGES.flatMap((page) =>
      [...read(page).matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|js|mjs|css|conf|cfg))`/g)]
        .map(([, file = '']) => file)
        .filter((file) => !['', 'src', 'test', 'docs/pages'].some((folder) => existsSync(join(ROOT, folder, file))))
        .map((file) => `${page}: ${file}`),
    )
    assert.deepEqual(missing, [])
  })
})

describe('the files beside the README', () => {
  it('link to files that exist', () => {
    const missing = ROOT_FILES.flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(join(ROOT, dirname(file), target)))
        .map((target) => `${file}: ${target}`),
    )
    assert.deepEqual(missing, [])
  })
})
