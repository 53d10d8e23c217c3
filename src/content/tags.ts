import { boundedMemo } from '../lib/bounded-memo.ts'
import { TAG_FIELDS } from './engine-fields.ts'
import type { ContentFault } from './fault.ts'
import type { YamlFields } from './yaml-fields.ts'

export interface Tag {
  /** The author's spelling. */
  name: string
  /** The tag in addresses. Tags with equal slugs are the same tag. */
  slug: string
}

// Each tag has a page and two feeds.
const MAX_TAGS = 100

// Documents share the object of a tag. Of many tags, at most the latest 200 are known.
const tagOf = boundedMemo((name): Readonly<Tag> => ({ name, slug: tagSlug(name) }))

/** The tags of a document, without duplicates. */
export function readTags(fields: YamlFields, note: (fault: ContentFault) => void): Tag[] {
  const tags = new Map<string, Tag>()
  for (const field of TAG_FIELDS) {
    // The field of other engines may be one text.
    const names = field === 'tags' ? fields.texts(field) : fields.textsWithLines(field).map(({ text }) => text)
    for (const name of names) {
      const tag = tagOf(name)
      if (!tag.slug) note(fields.fault(field, `"${name}" cannot be a tag: it has no letter or digit for an address`))
      else if (!tags.has(tag.slug)) tags.set(tag.slug, tag)
    }
  }
  if (tags.size > MAX_TAGS) throw fields.fault('tags', `"tags" may have ${MAX_TAGS} entries at most`)
  return [...tags.values()]
}

export function tagPath({ slug }: Tag): string {
  return `/tags/${encodeURIComponent(slug)}`
}

/** The paths of the feeds of a tag: RSS and JSON. */
export function tagFeedPaths(tag: Tag): { rss: string; json: string } {
  return { rss: `${tagPath(tag)}/feed.xml`, json: `${tagPath(tag)}/feed.json` }
}

/** "Type Script" becomes type-script. C, C++, C# and .NET stay distinct: c, c-plus-plus, c-sharp and dot-net. */
export function tagSlug(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/^\.(?=\p{L})/u, 'dot-')
    .replace(/(?<=\p{L})#(?!\p{L})/gu, '-sharp')
    .replace(/\+/g, '-plus-')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
