import { ContentFault } from './fault.ts'
import { YamlFields } from './yaml-fields.ts'

/** The settings of the whole site, from `site.yaml`. */
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

/** Reads `site.yaml`. For an invalid field it reports a fault and keeps the value from `before`. */
export function readSite(file: string, text: string, before: Site, note: (fault: ContentFault) => void): Site {
  const fields = new YamlFields(file, text)
  for (const { fault } of fields.unknownFields(FIELDS)) note(fault)
  const title = readOrKeep('title', (name) => fields.requiredText(name))
  return {
    title,
    description: readOrKeep('description', (name) => fields.text(name) ?? ''),
    author: readOrKeep('author', (name) => fields.text(name) ?? title),
    language: readOrKeep(
      'language',
      (name) => fields.textLike(name, isLanguage, 'a language such as en or pt-BR') ?? 'en',
    ),
    theme: readOrKeep('theme', (name) => fields.oneOf(name, ['system', 'light', 'dark'], 'system')),
    font: readOrKeep('font', (name) => fields.oneOf(name, ['sans', 'serif', 'mono'], 'sans')),
    navigation: readOrKeep('navigation', (name) => fields.links(name)),
    links: readOrKeep('links', (name) => fields.links(name)),
  }

  function readOrKeep<Name extends keyof Site>(name: Name, read: (name: Name) => Site[Name]): Site[Name] {
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
    // The comparison with 'en' avoids loading ICU's language names for the default.
    return tag === 'en' || new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(tag) !== undefined
  } catch {
    return false
  }
}
