import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { createDocumentRenderer } from '../../src/content/document-renderer.ts'
import { type Library, readLibrary, withPictureFacts } from '../../src/content/library.ts'
import { analyseDocuments, type ContentAnalysis } from '../../src/publishing/content-analysis.ts'
import { cleanUp, temporaryFolder } from '../support/clean-up.ts'
import { markdown } from '../support/site.ts'
import { createBarePublications } from './bare-publication.ts'

const BEFORE = '2026-01-15'
const DUE = '2026-02-01'
const AFTER = '2026-02-15'

/** A folder with a post and a scheduled post, and a function that analyses the documents that are public at a time. */
async function startAnalyses(t: TestContext) {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'posts'))
  const write = (name: string, date: string, text: string) =>
    writeFile(join(folder, 'posts', `${name}.md`), markdown({ title: name, date }, text))
  await mkdir(join(folder, 'images'))
  await write('public', '2026-01-01', '![a picture](/images/picture.svg)')
  await write('scheduled', DUE, 'Later.')
  const renderer = createDocumentRenderer()
  cleanUp(t, () => renderer.close())
  const publicationOf = createBarePublications()

  return {
    folder,
    async analyse(library: Library, now: string, previous?: ContentAnalysis): Promise<ContentAnalysis> {
      return analyseDocuments(library, await publicationOf(library, now), new AbortController().signal, {
        renderer,
        highlighter: { enqueue() {} },
        known: new Map(),
        previous,
      })
    },
  }
}

describe('the content analysis', () => {
  it('is not repeated when only the metadata of pictures have changed', async (t) => {
    const { folder, analyse } = await startAnalyses(t)
    const library = await readLibrary(folder)
    const first = await analyse(library, BEFORE)
    assert.deepEqual(
      first.faults.map(({ file }) => file),
      ['posts/public.md'],
    )
    assert.equal(await analyse(withPictureFacts(library, { find: () => undefined }), BEFORE, first), first)
  })

  it('is repeated when a picture was saved', async (t) => {
    const { folder, analyse } = await startAnalyses(t)
    const library = await readLibrary(folder)
    const first = await analyse(library, BEFORE)
    await writeFile(
      join(folder, 'images/picture.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>',
    )
    assert.deepEqual((await analyse(await readLibrary(folder, library), BEFORE, first)).faults, [])
  })

  it('is repeated when a scheduled post is due', async (t) => {
    const { folder, analyse } = await startAnalyses(t)
    const library = await readLibrary(folder)
    const first = await analyse(library, BEFORE)
    const later = await analyse(library, AFTER, first)
    assert.deepEqual(
      [first, later].map(({ search }) => search?.pages.length),
      [1, 2],
    )
  })
})
