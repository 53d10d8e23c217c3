import { DEFAULT_ACCENT } from '../lib/accent.ts'
import { ContentFault } from './fault.ts'
import { readSections, type Section } from './sections.ts'
import { YamlFields } from './yaml-fields.ts'

/** The settings of the whole site, from `site.yaml`. */
export interface Site {
  title: string
  description: string
  author: string
  language: string
  theme: 'system' | 'light' | 'dark'
  font: 'sans' | 'serif' | 'mono'
  /** The colour of links and buttons, as `#rrggbb`. */
  accent: string
  /** The path of a picture beside the title in the header, or empty. */
  logo: string
  /** The path of a picture on the home page, or empty. */
  portrait: string
  /** The entries of the header and the footer that are left out. */
  hide: DefaultEntry[]
  /** Whether visitors can search the site. */
  search: boolean
  navigation: { title: string; url: string }[]
  links: { title: string; url: string }[]
  /** Pages that belong together, such as those of a documentation, in the order of reading. */
  sections: Section[]
}

/** The entries that every page has unless `hide` names them. */
const DEFAULT_ENTRIES = ['log-in', 'feed', 'llms', 'api'] as const
type DefaultEntry = (typeof DEFAULT_ENTRIES)[number]

export const DEFAULT_SITE: Site = {
  title: 'Portico',
  description: 'A developer’s own site.',
  author: 'The author',
  language: 'en',
  theme: 'system',
  font: 'sans',
  accent: DEFAULT_ACCENT,
  logo: '',
  portrait: '',
  hide: [],
  search: true,
  navigation: [{ title: 'Blog', url: '/blog' }],
  links: [],
  sections: [],
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
    accent: readOrKeep(
      'accent',
      (name) => fields.textLike(name, isHexColour, 'a colour such as "#0b6e5f", in quotes') ?? DEFAULT_ACCENT,
    ),
    logo: readOrKeep('logo', (name) => fields.localPath(name) ?? ''),
    portrait: readOrKeep('portrait', (name) => fields.localPath(name) ?? ''),
    hide: readOrKeep('hide', (name) => fields.listOf(name, DEFAULT_ENTRIES)),
    search: readOrKeep('search', (name) => fields.flag(name, true)),
    navigation: readOrKeep('navigation', (name) => fields.links(name)),
    links: readOrKeep('links', (name) => fields.links(name)),
    sections: readOrKeep('sections', (name) => readSections(fields, name)),
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

function isHexColour(text: string): boolean {
  return /^#[0-9a-f]{6}$/i.test(text)
}

function isLanguage(tag: string): boolean {
  try {
    // The comparison with 'en' avoids loading ICU's language names for the default.
    return tag === 'en' || new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(tag) !== undefined
  } catch {
    return false
  }
}
