import { basename } from 'node:path'
import { sharedIfEmpty } from '../lib/shared-empty-list.ts'
import { StoredText } from '../lib/stored-text.ts'
import {
  ENGINE_FIELDS,
  ignoredFields,
  isMeantToKeepBack,
  readDate,
  readDescription,
  readIsDraft,
  readUpdated,
} from './engine-fields.ts'
import { ContentFault } from './fault.ts'
import { badNameMessage, isAddressName, pageFolders, whyNoName, whyReserved } from './page-paths.ts'
import { type Alias, readAliases } from './redirects.ts'
import { readShownText } from './shown-text.ts'
import { readTags, type Tag, tagSlug } from './tags.ts'
import { YamlFields } from './yaml-fields.ts'

/** A markdown file with the fields of its front matter. */
export interface Document {
  file: string
  /** The path below `/blog/` for a post, and below `/` for a page. */
  slug: string
  /** The line of the field `slug`, or 1 if the file name is the slug. */
  slugLine: number
  title: string
  description: string
  tags: Tag[]
  /** Former paths, which redirect to the document. */
  aliases: Alias[]
  /** The series that a post is part of. Series with equal slugs are the same. */
  series: Tag | undefined
  /** The names of fields of other engines that have no effect. */
  ignored: string[]
  isDraft: boolean
  /** The picture of a post: its address as written, with its line number. */
  image: { address: string; line: number } | undefined
  imageAlt: string
  /** The date of publication, past or future. Optional for pages. */
  date: Date | undefined
  updated: Date | undefined
  /** Whether the page has a table of contents. Undefined: if it has several headings. */
  toc: boolean | undefined
  markdown: StoredText
  /** The line number of the file at which the markdown begins. */
  firstLine: number
}

const FIELDS = ['title', 'draft', 'slug', 'series', 'image', 'imageAlt', 'toc', ...ENGINE_FIELDS] as const
const POST_FIELDS = ['series', 'image', 'imageAlt'] as const
const FRONT_MATTER = /^---\r?\n((?:[\s\S]*?\r?\n)??)---[ \t]*(?:\r?\n|$)/

/** Reads a document. All faults of its fields but the last are noted, and the last is thrown. */
export function readDocument(
  kind: 'post' | 'page',
  file: string,
  text: string,
  note: (fault: ContentFault) => void,
): Document {
  const [head, yaml = ''] = FRONT_MATTER.exec(text) ?? []
  if (head === undefined) throw new ContentFault(file, 1, whatIsMissing(text))
  // A copy: fields are slices of the text that they are read from, and V8 keeps that text in memory for them.
  const fields = new YamlFields(file, Buffer.from(yaml).toString(), 2)
  const failures: ContentFault[] = []
  for (const { meant, value, fault } of fields.unknownFields(FIELDS)) {
    // A misspelt "draft" must not publish the document.
    if (isMeantToKeepBack(meant, value))
      failures.push(fields.faultIn(fault.line, `${fault.problem} The file is not published until this is clear`))
    else note(fault)
  }
  const unused = kind === 'page' ? POST_FIELDS.filter((name) => fields.isSet(name)) : []
  for (const name of unused) note(fields.fault(name, `"${name}" has no effect on a page`))
  const slug = read(() => readSlug(kind, file, fields), '')
  const isHome = kind === 'page' && slug === 'index'
  if (isHome && fields.isSet('toc')) note(fields.fault('toc', '"toc" has no effect on the home page'))
  const markdown = text.slice(head.length)
  const document: Document = {
    file,
    slug,
    slugLine: fields.isSet('slug') ? fields.line('slug') : 1,
    title: read(() => readTitle(fields, isHome, note), ''),
    description: read(() => readDescription(fields, note), ''),
    tags: sharedIfEmpty(read(() => readTags(fields, note), [])),
    aliases: sharedIfEmpty(read(() => readAliases(fields, note), [])),
    series: read(() => (kind === 'post' ? readSeries(fields) : undefined), undefined),
    ignored: sharedIfEmpty(ignoredFields(fields)),
    isDraft: read(() => readIsDraft(fields), true),
    image: read(() => (kind === 'post' ? readImage(fields) : undefined), undefined),
    imageAlt: read(() => fields.text('imageAlt') ?? '', ''),
    date: read(() => readPublication(kind, fields), undefined),
    updated: read(() => readUpdated(fields), undefined),
    toc: read(() => fields.optionalFlag('toc'), undefined),
    markdown: new StoredText(`${markdown.trim()}\n`),
    firstLine: text.slice(0, text.length - markdown.trimStart().length).split('\n').length,
  }
  const last = failures.pop()
  for (const failure of failures) note(failure)
  if (last) throw last
  return document

  function read<T>(readField: () => T, instead: T): T {
    try {
      return readField()
    } catch (error) {
      if (!(error instanceof ContentFault)) throw error
      failures.push(error)
      return instead
    }
  }
}

function readPublication(kind: 'post' | 'page', fields: YamlFields): Date | undefined {
  const date = readDate(fields)
  if (kind === 'post' && !date) throw fields.fault('date', '"date" is missing')
  return date
}

/** The title of the home page is optional: the site's title is the fallback. */
function readTitle(fields: YamlFields, isHome: boolean, note: (fault: ContentFault) => void): string {
  const title = readShownText(fields, 'title', note)
  if (title === undefined && !isHome) throw fields.fault('title', '"title" is missing')
  return title ?? ''
}

function readImage(fields: YamlFields): Document['image'] {
  const address = fields.text('image')
  return address === undefined ? undefined : { address, line: fields.line('image') }
}

function readSeries(fields: YamlFields): Tag | undefined {
  const [first, second] = fields.textsWithLines('series')
  if (second) throw fields.fault('series', '"series" must be one text: a post is part of one series')
  if (!first) return undefined
  const slug = tagSlug(first.text)
  if (!slug)
    throw fields.fault('series', `"${first.text}" cannot be a series: it has no letter or digit for an address`)
  return { name: first.text, slug }
}

function whatIsMissing(text: string): string {
  return /^---\r?\n/.test(text)
    ? 'the front matter has no end: a line of "---" is missing below it'
    : 'must begin with front matter between two lines of "---" (YAML) or "+++" (TOML)'
}

/** The path below `/blog/` or `/`: the folders of a page, and the field `slug` or the file name without its date. */
function readSlug(kind: 'post' | 'page', file: string, fields: YamlFields): string {
  const ownName = fields.text('slug')
  const name = ownName ?? basename(file, '.md').replace(/^\d{4}-\d\d-\d\d-/, '')
  const wrong = (message: string) => (ownName ? fields.fault('slug', message) : new ContentFault(file, 1, message))
  const problem = whyNoName(name)
  if (problem) throw wrong(problem)
  return kind === 'post' ? name : pageSlug(file, name, wrong)
}

function pageSlug(file: string, name: string, wrong: (message: string) => ContentFault): string {
  const folders = pageFolders(file)
  const folder = folders.find((folder) => !isAddressName(folder))
  if (folder !== undefined) throw new ContentFault(file, 1, badNameMessage(`the folder "${folder}"`, folder))
  // The addresses of pictures beside it would be relative to the folder above.
  if (folders.length > 0 && name === 'index')
    throw wrong(`"index" is the home page only: the page of this folder is pages/${folders.join('/')}.md`)
  const slug = [...folders, name].join('/')
  const problem = whyReserved(slug)
  if (problem) throw wrong(problem)
  return slug
}
