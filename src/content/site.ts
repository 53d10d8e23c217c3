import { ContentFault } from './fault.ts'
import { YamlFields } from './yaml-fields.ts'

/** What the owner says of the site as a whole, in `site.yaml`. */
export interface Site {
  title: string
  description: string
  author: string
  language: string
  theme: 'system' | 'light' | 'dark'
  font: 'sans' | 'serif' | 'mono'
  navigation: { title: string; url: string }[]
  links: { title: string; url: string }[]
}

export const DEFAULT_SITE: Site = {
  title: 'Portico',
  description: 'A developer’s own site.',
  author: 'The author',
  language: 'en',
  theme: 'system',
  font: 'sans',
  navigation: [{ title: 'Blog', url: '/blog' }],
  links: [],
}

const FIELDS = Object.keys(DEFAULT_SITE) as (keyof Site)[]

/** Reads what can be read. A faulty field is noted, and stays what it was before. */
export function readSite(file: string, text: string, before: Site, note: (fault: ContentFault) => void): Site {
  const fields = new YamlFields(file, text)
  for (const { fault } of fields.strangers(FIELDS)) note(fault)
  const title = either('title', (name) => fields.requiredText(name))
  return {
    title,
    description: either('description', (name) => fields.text(name) ?? ''),
    author: either('author', (name) => fields.text(name) ?? title),
    language: either('language', (name) => fields.textLike(name, isLanguage, 'a language such as en or pt-BR') ?? 'en'),
    theme: either('theme', (name) => fields.oneOf(name, ['system', 'light', 'dark'], 'system')),
    font: either('font', (name) => fields.oneOf(name, ['sans', 'serif', 'mono'], 'sans')),
    navigation: either('navigation', (name) => fields.links(name)),
    links: either('links', (name) => fields.links(name)),
  }

  function either<Name extends keyof Site>(name: Name, read: (name: Name) => Site[Name]): Site[Name] {
    try {
      return read(name)
    } catch (error) {
      if (!(error instanceof ContentFault)) throw error
      note(error)
      return before[name]
    }
  }
}

function isLanguage(tag: string): boolean {
  try {
    // Of the usual one, the tables need not be loaded.
    return tag === 'en' || new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(tag) !== undefined
  } catch {
    return false
  }
}
