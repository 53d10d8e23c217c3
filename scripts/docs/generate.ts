// `npm run docs:generate`: writes the pages of docs/ that are made from the source.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generatedPages } from './generated-pages.ts'

const DOCS = join(import.meta.dirname, '../../docs')

for (const [file, text] of Object.entries(await generatedPages())) {
  await writeFile(join(DOCS, file), text)
  process.stdout.write(`docs/${file}\n`)
}
