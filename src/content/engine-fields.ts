import { ContentFault } from './fault.ts'
import { readShownText } from './shown-text.ts'
import { isYesOrNo, type YamlFields } from './yaml-fields.ts'

/** Fields of other engines that mean the same as a field of this one. The first one that is set counts. */
const SYNONYMS = {
  description: ['description', 'summary', 'excerpt'],
  updated: ['updated', 'lastmod', 'modified', 'last_modified_at'],
} as const

/** The lists that are tags here. */
export const TAG_FIELDS = ['tags', 'categories', 'category'] as const
/** The former addresses of a document. `permalink` and `url` are its address in another engine. */
export const ALIAS_FIELDS = ['aliases', 'redirect_from', 'permalink', 'url'] as const

const DATES = ['date', 'publishDate', 'pubDate', 'published'] as const
// Fields that restrict the readers of a document, or the time of its publication. Portico supports neither.
const RESTRICTIONS = ['expiryDate', 'password', 'private', 'protected', 'hidden', 'unlisted'] as const
const DRAFT_STATES = ['draft', 'pending', 'private', 'hidden', 'future', 'trash']
/** Fields that keep a document from the public. A misspelt one must not publish the document. */
const KEEPS_BACK: readonly string[] = ['draft', 'published', 'status', 'publishDate', 'pubDate', ...RESTRICTIONS]

/** Fields of other engines without a meaning here. */
const IGNORED = [
  ...['author', 'authors', 'cascade', 'comment', 'comments', 'eleventyNavigation', 'extra', 'featured', 'guid', 'id'],
  ...['keywords', 'lang', 'layout', 'linkTitle', 'locale', 'markup', 'mathjax', 'menu', 'nav_order', 'outputs'],
  ...['params', 'parent', 'pin', 'sidebar', 'sidebar_label', 'sidebar_position', 'template', 'theme', 'type', 'weight'],
] as const

export const ENGINE_FIELDS = [
  ...[...SYNONYMS.description, ...SYNONYMS.updated, ...TAG_FIELDS, ...ALIAS_FIELDS, ...DATES, ...RESTRICTIONS],
  ...['status', ...IGNORED],
] as const

export function readDescription(fields: YamlFields, note: (fault: ContentFault) => void): string {
  return firstOf(SYNONYMS.description, (name) => readShownText(fields, name, note)) ?? ''
}

export function readUpdated(fields: YamlFields): Date | undefined {
  return firstOf(SYNONYMS.updated, (name) => fields.date(name))
}

/** The date of publication: the latest of the dates that are set, so that no document is published too early. */
export function readDate(fields: YamlFields): Date | undefined {
  const dates = DATES.flatMap((name) => (fields.isFlag(name) ? [] : [fields.date(name) ?? []])).flat()
  return dates.sort((a, b) => Number(b) - Number(a))[0]
}

/** Whether the document is a draft. Throws for a field that restricts who may read it. */
export function readIsDraft(fields: YamlFields): boolean {
  const restriction = RESTRICTIONS.find((name) => fields.isSet(name))
  if (restriction)
    throw fields.fault(
      restriction,
      `"${restriction}" has no effect here: remove it, or keep the text back with "draft: true"`,
    )
  const isUnpublished = fields.isFlag('published') && !fields.flag('published')
  return fields.flag('draft') || isUnpublished || isDraftState(fields.value('status'))
}

/** Whether a field that is not known was probably meant to keep the document back. */
export function isMeantToKeepBack(meant: string | undefined, value: unknown): boolean {
  if (meant === 'draft') return true
  const isTelling = isYesOrNo(value) || isDraftState(value) || /^\d{4}-\d\d/.test(String(value))
  return meant !== undefined && KEEPS_BACK.includes(meant) && isTelling
}

/** The fields of other engines that a document has, and that are ignored. */
export function ignoredFields(fields: YamlFields): string[] {
  const isStateIgnored = fields.isSet('status') && !isDraftState(fields.value('status'))
  return [...IGNORED.filter((name) => fields.isSet(name)), ...(isStateIgnored ? ['status'] : [])]
}

/** One fault about all ignored fields of a site. */
export function ignoredFieldsFault(documents: { file: string; ignored: string[] }[]): ContentFault[] {
  const concerned = documents.filter(({ ignored }) => ignored.length > 0)
  const [first, ...others] = concerned
  if (!first) return []
  const names = [...new Set(concerned.flatMap(({ ignored }) => ignored))].sort().map((name) => `"${name}"`)
  const what = `${names.join(', ')} ${names.length > 1 ? 'are fields' : 'is a field'} of other engines, without effect here`
  const where = others.length > 0 ? ` (also in ${others.length} other ${others.length > 1 ? 'files' : 'file'})` : ''
  return [new ContentFault(first.file, 1, what + where)]
}

function isDraftState(value: unknown): boolean {
  return typeof value === 'string' && DRAFT_STATES.includes(value.trim().toLowerCase())
}

function firstOf<T>(names: readonly string[], read: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const value = read(name)
    if (value !== undefined) return value
  }
  return undefined
}
