import { basename } from 'node:path'
import { ContentFault } from './fault.ts'
import { readTags, type Tag } from './tags.ts'
import { YamlFields } from './yaml-fields.ts'

/** A markdown file with the fields of its front matter. */
export interface Document {
  file: string
  slug: string
  title: string
  description: string
  tags: Tag[]
  isDraft: boolean
  /** The date of publication, past or future. Optional for pages. */
  date: Date | undefined
  updated: Date | undefined
  markdown: string
  /** The line number of the file at which the markdown begins. */
  firstLine: number
}

const FIELDS = ['title', 'description', 'date', 'updated', 'tags', 'draft', 'slug'] as const
const FRONT_MATTER = /^---\r?\n((?:[\s\S]*?\r?\n)??)---[ \t]*(?:\r?\n|$)/

// Paths of the server's own routes.
const RESERVED_SLUGS = new Set(
  `account api assets blog dev docs feed forgot-password healthz log-in log-out readyz reset-password sign-in sign-up
  tags uploads verify-email`.split(/\s+/),
)
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export function readDocument(
  kind: 'post' | 'page',
  file: string,
  text: string,
  note: (fault: ContentFault) => void,
): Document {
  const [head, yaml = ''] = FRONT_MATTER.exec(text) ?? []
  if (head === undefined) throw new ContentFault(file, 1, whatIsMissing(text))
  const fields = new YamlFields(file, yaml, 2)
  for (const { meant, fault } of fields.unknownFields(FIELDS)) {
    // A misspelled "draft" must not publish the document.
    if (meant === 'draft') throw fault
    note(fault)
  }
  const slug = readSlug(kind, file, fields)
  const isHome = kind === 'page' && slug === 'index'
  const date = fields.date('date')
  if (kind === 'post' && !date) throw fields.fault('date', '"date" is missing')
  const markdown = text.slice(head.length)
  return {
    file,
    slug,
    // The title of the home page is optional: the site's title is the fallback.
    title: isHome ? (fields.text('title') ?? '') : fields.requiredText('title'),
    description: fields.text('description') ?? '',
    tags: readTags(fields, note),
    isDraft: fields.flag('draft'),
    date,
    updated: fields.date('updated'),
    markdown: `${markdown.trim()}\n`,
    firstLine: text.slice(0, text.length - markdown.trimStart().length).split('\n').length,
  }
}

function whatIsMissing(text: string): string {
  return /^---\r?\n/.test(text)
    ? 'the front matter has no end: a line of "---" is missing below it'
    : 'must begin with front matter between two lines of "---"'
}

/** The last segment of the path: the field `slug`, or else the file name without its date. */
function readSlug(kind: 'post' | 'page', file: string, fields: YamlFields): string {
  const ownSlug = fields.text('slug')
  const slug = ownSlug ?? basename(file, '.md').replace(/^\d{4}-\d\d-\d\d-/, '')
  const wrong = (message: string) => (ownSlug ? fields.fault('slug', message) : new ContentFault(file, 1, message))
  const problem = whyNoSlug(kind, slug)
  if (problem) throw wrong(problem)
  return slug
}

/** Why a text cannot be the slug of a document. Undefined if it can. */
export function whyNoSlug(kind: 'post' | 'page', slug: string): string | undefined {
  if (!SLUG.test(slug)) return badName(slug)
  if (kind === 'page' && RESERVED_SLUGS.has(slug)) return `the address /${slug} belongs to the site itself`
  return undefined
}

/** "Über uns" becomes uber-uns. Empty if no letter of ASCII and no digit is left. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

function badName(name: string): string {
  const better = slugOf(name)
  const example = better ? `, such as ${better}` : ''
  return `the address must be of lower-case letters, digits and hyphens${example}: rename the file, or give it a "slug"`
}
