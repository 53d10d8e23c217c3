import type { ContentFault } from './fault.ts'
import type { YamlFields } from './yaml-fields.ts'

export interface Tag {
  /** As its author writes it. */
  name: string
  /** What it is called in addresses: tags with the same one are one tag. */
  slug: string
}

/** The tags of a document, each once. */
export function readTags(fields: YamlFields, note: (fault: ContentFault) => void): Tag[] {
  const tags = new Map<string, Tag>()
  for (const name of fields.texts('tags')) {
    const slug = slugOf(name)
    if (!slug) note(fields.fault('tags', `"${name}" cannot be a tag: it has no letter or digit for an address`))
    else if (!tags.has(slug)) tags.set(slug, { name, slug })
  }
  return [...tags.values()]
}

export function tagPath({ slug }: Tag): string {
  return `/tags/${encodeURIComponent(slug)}`
}

/** "Type Script" is type-script; C, C++, C# and .NET are not to be mixed up: c, c-plus-plus, c-sharp and dot-net. */
function slugOf(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/^\.(?=\p{L})/u, 'dot-')
    .replace(/(?<=\p{L})#(?!\p{L})/gu, '-sharp')
    .replace(/\+/g, '-plus-')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}
