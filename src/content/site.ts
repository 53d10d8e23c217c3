import { DEFAULT_ACCENT } from '../lib/accent.ts'
import { ContentFault } from './fault.ts'
import { type Redirect, readRedirects } from './redirects.ts'
import { readSections, type Section } from './sections.ts'
import { YamlFields } from './yaml-fields.ts'

/** A link of `site.yaml`, with its line there. */
interface SiteLink {
  title: string
  url: string
  line: number
}

/** The path of a picture, with its line in `site.yaml`. */
interface SitePicture {
  address: string
  line: number
}

/** The settings of the whole site, from `site.yaml`. */
export interface Site {
  title: string
  description: string
  author: string
  language: string
  theme: 'system' | 'light' | 'dark'
  font: 'sans' | 'serif' | 'mono'
  /** The style of the pages: typography, spaces and colours. */
  look: Look
  /** The colour of links and buttons, as `#rrggbb`. */
  accent: string
  /** A picture beside the title in the header. */
  logo: SitePicture | undefined
  /** A picture on the home page. */
  portrait: SitePicture | undefined
  /** The entries of the header and the footer that are left out. */
  hide: DefaultEntry[]
  /** Whether visitors can search the site. */
  search: boolean
  /** Whether agents can read the site with the Model Context Protocol, at `/mcp`. */
  mcp: boolean
  /** The uses of the content that the owner permits or forbids programs (contentsignals.org). Empty by default. */
  contentSignals: Partial<Record<ContentSignal, boolean>>
  navigation: SiteLink[]
  links: SiteLink[]
  /** Pages that belong together, such as those of a documentation, in the order of reading. */
  sections: Section[]
  /** Paths that lead to other paths or to other sites. */
  redirects: Redirect[]
  /** The address of a WebSub hub that distributes the feeds, or empty. */
  hub: string
}

const CONTENT_SIGNALS = ['search', 'ai-input', 'ai-train'] as const
type ContentSignal = (typeof CONTENT_SIGNALS)[number]

export const LOOKS = ['portico', 'journal', 'terminal'] as const
export type Look = (typeof LOOKS)[number]
/** The accent of a site that names none. */
const DEFAULT_ACCENTS: Record<Look, string> = { portico: DEFAULT_ACCENT, journal: '#8f2d1c', terminal: '#12805c' }

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
  look: 'portico',
  accent: DEFAULT_ACCENT,
  logo: undefined,
  portrait: undefined,
  hide: [],
  search: true,
  mcp: true,
  contentSignals: {},
  navigation: [{ title: 'Blog', url: '/blog', line: 1 }],
  links: [],
  sections: [],
  redirects: [],
  hub: '',
}

const FIELDS = Object.keys(DEFAULT_SITE) as (keyof Site)[]

/** Reads `site.yaml`. For an invalid field it reports a fault and keeps the value from `before`. */
export function readSite(file: string, text: string, before: Site, note: (fault: ContentFault) => void): Site {
  const fields = new YamlFields(file, text)
  for (const { fault } of fields.unknownFields(FIELDS)) note(fault)
  const title = readOrKeep('title', (name) => fields.requiredText(name))
  const look = readOrKeep('look', (name) => fields.oneOf(name, LOOKS, 'portico'))
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
    look,
    accent: readOrKeep(
      'accent',
      (name) => fields.textLike(name, isHexColour, 'a colour such as "#0b6e5f", in quotes') ?? DEFAULT_ACCENTS[look],
    ),
    logo: readOrKeep('logo', readPicture),
    portrait: readOrKeep('portrait', readPicture),
    hide: readOrKeep('hide', (name) => fields.listOf(name, DEFAULT_ENTRIES)),
    search: readOrKeep('search', (name) => fields.flag(name, true)),
    mcp: readOrKeep('mcp', (name) => fields.flag(name, true)),
    contentSignals: readOrKeep('contentSignals', (name) => fields.flags(name, CONTENT_SIGNALS)),
    navigation: readOrKeep('navigation', (name) => fields.links(name)),
    links: readOrKeep('links', (name) => fields.links(name)),
    sections: readOrKeep('sections', (name) => readSections(fields, name)),
    redirects: readOrKeep('redirects', (name) => readRedirects(fields, name, note)),
    hub: readOrKeep('hub', (name) => fields.textLike(name, isHttpsAddress, 'an https address') ?? ''),
  }

  function readPicture(name: string): SitePicture | undefined {
    const address = fields.localPath(name)
    return address === undefined ? undefined : { address, line: fields.line(name) }
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

function isHttpsAddress(text: string): boolean {
  return URL.parse(text)?.protocol === 'https:'
}

function isLanguage(tag: string): boolean {
  try {
    // The comparison with 'en' avoids loading ICU's language names for the default.
    return tag === 'en' || new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(tag) !== undefined
  } catch {
    return false
  }
}
