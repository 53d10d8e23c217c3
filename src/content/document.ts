import { basename } from 'node:path'
import { ContentFault } from './fault.ts'
import { YamlFields } from './yaml-fields.ts'

/** A markdown file with what its front matter says. */
export interface Document {
  file: string
  slug: string
  title: string
  description: string
  tags: string[]
  isDraft: boolean
  /** When it was, or will be, published. Pages may have none. */
  date: Date | undefined
  updated: Date | undefined
  markdown: string
}

const FRONT_MATTER = /^---\r?\n((?:[\s\S]*?\r?\n)??)---[ \t]*(?:\r?\n|$)/
const TAKEN = new Set(['api', 'assets', 'blog', 'dev', 'docs', 'healthz', 'readyz', 'tags', 'uploads'])
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export function readDocument(file: string, text: string, { needsDate }: { needsDate: boolean }): Document {
  const slug = basename(file, '.md').replace(/^\d{4}-\d\d-\d\d-/, '')
  if (!needsDate && TAKEN.has(slug)) throw new ContentFault(file, 1, `the address /${slug} is taken by the site itself`)
  if (!SLUG.test(slug)) {
    throw new ContentFault(
      file,
      1,
      'the file must be named with lower-case letters, digits and hyphens: it becomes the address',
    )
  }
  const [head, yaml = ''] = FRONT_MATTER.exec(text) ?? []
  if (head === undefined) throw new ContentFault(file, 1, 'must begin with front matter between two lines of "---"')
  const fields = new YamlFields(file, yaml, 2)
  const date = fields.date('date')
  if (needsDate && !date) throw new ContentFault(file, 2, '"date" is missing')
  return {
    file,
    slug,
    title: fields.requiredText('title'),
    description: fields.text('description') ?? '',
    tags: [...new Set(fields.texts('tags').map(tagOf))].filter(Boolean),
    isDraft: fields.flag('draft'),
    date,
    updated: fields.date('updated'),
    markdown: `${text.slice(head.length).trim()}\n`,
  }
}

/** "Type Script" is the tag type-script. */
function tagOf(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
